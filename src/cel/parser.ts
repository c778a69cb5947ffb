/** The CEL parser: builds the syntax tree by recursive descent and expands macros. */
import { append } from '../base/index.ts';
import { RESERVED, tokenize, type Token } from './lexer.ts';
import { expandGlobalMacro, expandMemberMacro } from './macros.ts';
import { CelSyntaxError, type SourceProblem } from './source-error.ts';
import type { Call, Expression, ListLiteral, MapLiteral, StructLiteral } from './syntax-tree.ts';
import { Uint, type Value } from './values.ts';

const SYMBOLS_OF_START = ['[', '{', '(', '.', '-', '!'];
const LITERALS_OF_START = `'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER`;
/** What an expression may start with, as ANTLR lists it, with the symbols that may stand there instead. */
const EXPRESSION_START = `{'[', '{', '(', '.', '-', '!', ${LITERALS_OF_START}}`;
const ARGUMENT_START = `{'[', '{', '(', ')', '.', '-', '!', ${LITERALS_OF_START}}`;
const LIST_START = `{'[', ']', '{', '(', '.', ',', '-', '!', '?', ${LITERALS_OF_START}}`;
const MAP_START = `{'[', '{', '}', '(', '.', ',', '-', '!', '?', ${LITERALS_OF_START}}`;
const INDEX_START = `{'[', '{', '(', '.', '-', '!', '?', ${LITERALS_OF_START}}`;
const RELATIONS: Readonly<Record<string, string>> = {
  '==': '_==_',
  '!=': '_!=_',
  '<': '_<_',
  '<=': '_<=_',
  '>': '_>_',
  '>=': '_>=_',
  in: '@in',
};
const SUMS: Readonly<Record<string, string>> = { '+': '_+_', '-': '_-_' };
const PRODUCTS: Readonly<Record<string, string>> = { '*': '_*_', '/': '_/_', '%': '_%_' };
const BINARY_OPERATORS: ReadonlySet<string> = new Set([
  ...Object.keys({ ...RELATIONS, ...SUMS, ...PRODUCTS }),
  '&&',
  '||',
]);
const MAX_DEPTH = 250;
const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

export function parse(source: string): Expression {
  const { tokens, problems } = tokenize(source);
  if (problems.length === 0) return new Parser(tokens).whole();
  throw new CelSyntaxError([...problems, ...problemsOf(tokens)]);
}

/** The syntax errors of the remaining tokens, which cel-go reports after the lexer's errors. */
function problemsOf(tokens: readonly Token[]): readonly SourceProblem[] {
  try {
    new Parser(tokens).whole();
    return [];
  } catch (error) {
    if (error instanceof CelSyntaxError) return error.problems;
    throw error;
  }
}

class Parser {
  #position = 0;
  #depth = 0;
  /** Errors after which parsing went on. */
  readonly #problems: SourceProblem[] = [];
  readonly #macroProblems: SourceProblem[] = [];

  readonly #tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#expression();
    const { kind, text } = this.#token;
    if (kind !== 'end') {
      const what = this.#tokens[this.#position + 1]?.kind === 'end' ? 'extraneous' : 'mismatched';
      throw this.#error(`${what} input '${text}' expecting <EOF>`);
    }
    const problems = [...this.#problems, ...this.#macroProblems];
    if (problems.length > 0) throw new CelSyntaxError(problems);
    return expression;
  }

  get #token(): Token {
    return this.#tokens[this.#position]!;
  }

  #error(message: string, at = this.#token.at): CelSyntaxError {
    return new CelSyntaxError([...this.#problems, { at, message: `Syntax error: ${message}` }]);
  }

  #is(text: string): boolean {
    const { kind, text: given } = this.#token;
    return given === text && (kind === 'symbol' || kind === 'identifier');
  }

  /** Consumes the symbol if it is the next token. */
  #accept(text: string): Token | undefined {
    if (!this.#is(text)) return undefined;
    return this.#tokens[this.#position++];
  }

  #expect(text: string): Token {
    const token = this.#accept(text);
    if (token) return token;
    if (this.#tokens[this.#position + 1]?.text === text) {
      this.#skip(`'${text}'`);
      return this.#accept(text)!;
    }
    // As ANTLR, it is called missing where what stands here could follow it: an expression a colon, no operand a bracket.
    const { kind, text: given } = this.#token;
    const follows = text === ':' ? this.#startsExpression() : kind === 'symbol' || kind === 'end' || given === 'in';
    if (!follows) throw this.#mismatch(`'${text}'`);
    throw this.#error(`missing '${text}' at '${this.#token.text}'`);
  }

  #startsExpression({ kind, text } = this.#token): boolean {
    if (kind === 'symbol') return SYMBOLS_OF_START.includes(text);
    return kind !== 'end' && text !== 'in';
  }

  /** Reports an unexpected token, and continues with the next. */
  #skip(expected: string): void {
    const { at, text } = this.#token;
    this.#problems.push({ at, message: `Syntax error: extraneous input '${text}' expecting ${expected}` });
    this.#position++;
  }

  /** Makes sure that an expression starts here, or one of the symbols. As ANTLR, one wrong token is skipped. */
  #start(expected: string, symbols: readonly string[] = []): void {
    const fits = (token: Token | undefined): boolean =>
      token !== undefined &&
      (this.#startsExpression(token) || (token.kind === 'symbol' && symbols.includes(token.text)));
    if (fits(this.#token)) return;
    if (!fits(this.#tokens[this.#position + 1])) throw this.#mismatch(expected);
    this.#skip(expected);
  }

  #mismatch(expected: string): CelSyntaxError {
    return this.#error(`mismatched input '${this.#token.text}' expecting ${expected}`);
  }

  /** After an element of a list, map or struct: its end, or a comma. */
  #endOrComma(end: string): void {
    if (this.#accept(',')) {
      if (this.#token.kind === 'end') throw this.#error(`missing '${end}' at '${this.#token.text}'`);
      if (this.#is(',')) throw this.#mismatch(`'${end}'`);
      return;
    }
    if (this.#is(end)) return;
    const expected = `{'${end}', ','}`;
    const next = this.#tokens[this.#position + 1]?.text;
    if (next !== end && next !== ',') throw this.#mismatch(expected);
    this.#skip(expected);
    this.#accept(',');
  }

  /** Expands a macro. A wrong argument does not end parsing: all macros are reported together. */
  #expanded<T extends Expression>(at: number, expand: () => T | undefined): Expression | undefined {
    try {
      return expand();
    } catch (error) {
      if (!(error instanceof CelSyntaxError)) throw error;
      append(this.#macroProblems, error.problems);
      return { kind: 'literal', at, value: null };
    }
  }

  #expression(): Expression {
    if (++this.#depth > MAX_DEPTH)
      throw new CelSyntaxError([{ at: this.#token.at, message: `expression recursion limit exceeded: ${MAX_DEPTH}` }]);
    const condition = this.#or();
    const mark = this.#accept('?');
    if (!mark) {
      this.#depth--;
      return condition;
    }
    const whenTrue = this.#or();
    this.#expect(':');
    const whenFalse = this.#expression();
    this.#depth--;
    return call('_?_:_', mark.at, [condition, whenTrue, whenFalse]);
  }

  #or(): Expression {
    return this.#balanced('||', '_||_', () => this.#balanced('&&', '_&&_', () => this.#relation()));
  }

  /** As cel-go, builds a balanced tree from a chain of && or ||, which limits its depth. */
  #balanced(symbol: string, name: string, operand: () => Expression): Expression {
    const operands = [operand()];
    const places: number[] = [];
    for (let token = this.#accept(symbol); token; token = this.#accept(symbol)) {
      places.push(token.at);
      operands.push(operand());
    }
    const build = (low: number, high: number): Expression => {
      if (low === high) return operands[low]!;
      const middle = (low + high) >> 1;
      return call(name, places[middle]!, [build(low, middle), build(middle + 1, high)]);
    };
    return build(0, operands.length - 1);
  }

  #relation(): Expression {
    return this.#leftToRight(RELATIONS, () =>
      this.#leftToRight(SUMS, () => this.#leftToRight(PRODUCTS, () => this.#unary())),
    );
  }

  #leftToRight(operators: Readonly<Record<string, string>>, operand: () => Expression): Expression {
    let left = operand();
    for (let count = 0; ; count++) {
      const { kind, text } = this.#token;
      const name = (kind === 'symbol' || text === 'in') && Object.hasOwn(operators, text) ? operators[text] : undefined;
      if (name === undefined) return left;
      if (count > MAX_DEPTH)
        throw new CelSyntaxError([
          { at: this.#token.at, message: `expression recursion limit exceeded: ${MAX_DEPTH}` },
        ]);
      const { at } = this.#tokens[this.#position++]!;
      left = call(name, at, [left, operand()]);
    }
  }

  #unary(): Expression {
    const signs: Token[] = [];
    const symbol = this.#is('!') ? '!' : '-';
    for (let token = this.#accept(symbol); token; token = this.#accept(symbol)) signs.push(token);
    const first = signs[0];
    if (!first) return this.#member(this.#primary());
    const number = symbol === '-' ? this.#negativeNumber(signs) : this.#negativeNumberAfterNot();
    if (number && symbol === '-') return this.#member(number);
    const operand = this.#member(number ?? this.#primary());
    if (signs.length % 2 === 0) return operand;
    return call(symbol === '!' ? '!_' : '-_', first.at, [operand]);
  }

  /** `!-1`: the minus belongs to the number. */
  #negativeNumberAfterNot(): Expression | undefined {
    const next = this.#tokens[this.#position + 1]?.kind;
    if (!this.#is('-') || (next !== 'int' && next !== 'double')) return undefined;
    return this.#negativeNumber([this.#accept('-')!]);
  }

  /** `-9223372036854775808` is one literal: its positive part alone would overflow. */
  #negativeNumber(signs: readonly Token[]): Expression | undefined {
    const { kind, text } = this.#token;
    if (signs.length !== 1 || (kind !== 'int' && kind !== 'double')) return undefined;
    this.#position++;
    const at = signs[0]!.at;
    return { kind: 'literal', at, value: kind === 'double' ? -Number(text) : this.#integer(`-${text}`, at) };
  }

  #integer(text: string, at: number): bigint {
    const negative = text.startsWith('-');
    const magnitude = BigInt(negative ? text.slice(1) : text);
    const value = negative ? -magnitude : magnitude;
    if (value < INT_MIN || value > INT_MAX) throw new CelSyntaxError([{ at, message: 'invalid int literal' }]);
    return value;
  }

  #primary(): Expression {
    const token = this.#token;
    const { at, text } = token;
    switch (token.kind) {
      case 'int':
        return this.#literal(this.#integer(text, at));
      case 'uint': {
        const value = BigInt(text.slice(0, -1));
        if (value > UINT_MAX) throw new CelSyntaxError([{ at, message: 'invalid uint literal' }]);
        return this.#literal(new Uint(value));
      }
      case 'double':
        return this.#literal(Number(text));
      case 'string':
      case 'bytes':
        return this.#literal(token.value!);
      case 'identifier':
        return this.#identifier('');
      case 'symbol':
        if (text === '(') {
          this.#position++;
          const inner = this.#expression();
          this.#expect(')');
          return inner;
        }
        if (text === '[') return this.#list();
        if (text === '{') return this.#map();
        if (text === '.') {
          this.#position++;
          return this.#identifier('.');
        }
    }
    return this.#afterWrongToken();
  }

  /** Skips one token that cannot start an expression, if one starts behind it. */
  #afterWrongToken(): Expression {
    // Signs of another kind may not follow signs: -!a is no expression.
    if (this.#startsExpression()) throw this.#mismatch(EXPRESSION_START);
    const { text, at } = this.#token;
    // As ANTLR, an operator without operands is one error for each.
    if (BINARY_OPERATORS.has(text) && !this.#startsExpression(this.#tokens[this.#position + 1])) {
      this.#problems.push({ at, message: `Syntax error: mismatched input '${text}' expecting ${EXPRESSION_START}` });
      return { kind: 'literal', at, value: null };
    }
    this.#start(EXPRESSION_START);
    return this.#unary();
  }

  #literal(value: Value): Expression {
    const { at } = this.#tokens[this.#position++]!;
    return { kind: 'literal', at, value };
  }

  #identifier(prefix: string): Expression {
    const { kind, text, at } = this.#token;
    if (kind !== 'identifier') throw this.#error(`no viable alternative at input '.${kind === 'end' ? '' : text}'`);
    if (prefix === '') {
      if (text === 'true' || text === 'false') return this.#literal(text === 'true');
      if (text === 'null') return this.#literal(null);
    }
    if (text === 'in') return this.#afterWrongToken();
    this.#position++;
    if (RESERVED.has(text)) throw new CelSyntaxError([{ at, message: `reserved identifier: ${text}` }]);
    const open = this.#accept('(');
    if (!open) return { kind: 'identifier', at, name: prefix + text };
    const args = this.#arguments();
    return this.#expanded(open.at, () => expandGlobalMacro(text, open.at, args)) ?? call(prefix + text, open.at, args);
  }

  #arguments(): Expression[] {
    const args: Expression[] = [];
    this.#start(ARGUMENT_START, [')']);
    if (this.#accept(')')) return args;
    do args.push(this.#expression());
    while (this.#accept(','));
    this.#expect(')');
    return args;
  }

  #member(start: Expression): Expression {
    let target = start;
    for (let count = 0; ; count++) {
      if (count > MAX_DEPTH)
        throw new CelSyntaxError([
          { at: this.#token.at, message: `expression recursion limit exceeded: ${MAX_DEPTH}` },
        ]);
      const dot = this.#accept('.');
      if (dot) {
        target = this.#field(target, dot);
        continue;
      }
      const bracket = this.#accept('[');
      if (bracket) {
        this.#start(INDEX_START, ['?']);
        const optional = this.#accept('?') !== undefined;
        const index = this.#expression();
        this.#expect(']');
        target = call(optional ? '_[?_]' : '_[_]', bracket.at, [target, index]);
        continue;
      }
      if (this.#is('{') && qualifiedNameOf(target) !== undefined) {
        target = this.#struct(qualifiedNameOf(target)!);
        continue;
      }
      return target;
    }
  }

  #field(target: Expression, dot: Token): Expression {
    const optional = this.#accept('?') !== undefined;
    const { kind, text } = this.#token;
    if (kind !== 'identifier' && kind !== 'quoted-identifier' && optional)
      throw this.#mismatch('{IDENTIFIER, ESC_IDENTIFIER}');
    if (kind !== 'identifier' && kind !== 'quoted-identifier')
      throw this.#error(`no viable alternative at input '.${kind === 'end' ? '' : text}'`);
    this.#position++;
    const open = kind === 'identifier' && !optional ? this.#accept('(') : undefined;
    if (open) {
      const args = this.#arguments();
      return (
        this.#expanded(open.at, () => expandMemberMacro(text, { at: open.at, target, args })) ?? {
          kind: 'call',
          at: open.at,
          name: text,
          target,
          args,
        }
      );
    }
    const field = kind === 'quoted-identifier' ? text.slice(1, -1) : text;
    return { kind: 'select', at: dot.at, operand: target, field, test: false, optional };
  }

  #list(): ListLiteral {
    const { at } = this.#expect('[');
    const elements: { value: Expression; optional: boolean }[] = [];
    this.#start(LIST_START, [']', ',', '?']);
    if (this.#is(',') && this.#tokens[this.#position + 1]?.text === ']') this.#accept(',');
    while (!this.#accept(']')) {
      const optional = this.#accept('?') !== undefined;
      elements.push({ value: this.#expression(), optional });
      this.#endOrComma(']');
    }
    return { kind: 'list', at, elements };
  }

  #map(): MapLiteral {
    const { at } = this.#expect('{');
    const entries: { key: Expression; value: Expression; optional: boolean }[] = [];
    this.#start(MAP_START, ['}', ',', '?']);
    if (this.#is(',') && this.#tokens[this.#position + 1]?.text === '}') this.#accept(',');
    while (!this.#accept('}')) {
      const optional = this.#accept('?') !== undefined;
      const key = this.#expression();
      this.#expect(':');
      entries.push({ key, value: this.#expression(), optional });
      this.#endOrComma('}');
    }
    return { kind: 'map', at, entries };
  }

  #struct(name: string): StructLiteral {
    const { at } = this.#expect('{');
    const fields: { name: string; value: Expression; optional: boolean; at: number }[] = [];
    if (this.#is(',') && this.#tokens[this.#position + 1]?.text === '}') this.#accept(',');
    while (!this.#accept('}')) {
      const optional = this.#accept('?') !== undefined;
      const field = this.#token;
      if (field.kind !== 'identifier' && field.kind !== 'quoted-identifier') {
        // A struct may end, or continue with a comma, before its first field.
        const others = optional
          ? 'IDENTIFIER'
          : fields.length === 0
            ? `'}', ',', '?', IDENTIFIER`
            : `'}', '?', IDENTIFIER`;
        throw this.#error(`mismatched input '${field.text}' expecting {${others}, ESC_IDENTIFIER}`);
      }
      this.#position++;
      const colon = this.#expect(':');
      const fieldName = field.kind === 'quoted-identifier' ? field.text.slice(1, -1) : field.text;
      fields.push({ name: fieldName, value: this.#expression(), optional, at: colon.at });
      this.#endOrComma('}');
    }
    return { kind: 'struct', at, name, fields };
  }
}

const call = (name: string, at: number, args: readonly Expression[]): Call => ({
  kind: 'call',
  name,
  at,
  target: undefined,
  args,
});

/** The qualified name that an expression spells, such as `a.b.C`. */
export function qualifiedNameOf(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.test || expression.optional) return undefined;
  const rest = qualifiedNameOf(expression.operand);
  return rest === undefined ? undefined : `${rest}.${expression.field}`;
}
