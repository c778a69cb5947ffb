import { quote } from '../../base/index.ts';
import { badRequest, StatusError } from '../errors/index.ts';
import { qualifiedName } from '../names/index.ts';
import { EVERYTHING, LabelRequirement, LabelSelectorMatcher, type LabelOperator } from './label-selector.ts';

/**
 * `a=b,c in (d,e),!f,g>1`: requirements between commas, all of which must hold.
 *
 *     requirement = ["!"] key | key ("=" | "==" | "!=" | ">" | "<") [value] | key ("in" | "notin") "(" [value {"," value}] ")"
 *
 * Throws a StatusError in upstream's words.
 */
export function parseLabelSelector(text: string): LabelSelectorMatcher {
  return text === '' ? EVERYTHING : new LabelSelectorParser(text).parse();
}

type TokenKind = 'end' | 'identifier' | 'in' | 'notin' | '!' | '=' | '==' | '!=' | '>' | '<' | ',' | '(' | ')';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const END: Token = { kind: 'end', text: '' };
const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!(),><])|([^=!(),>< \t\r\n]+))/y;
const OPERATORS: Partial<Record<TokenKind, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [, symbol, word] = match;
    if (symbol !== undefined) tokens.push({ kind: symbol as TokenKind, text: symbol });
    else if (word === 'in' || word === 'notin') tokens.push({ kind: word, text: word });
    else tokens.push({ kind: 'identifier', text: word! });
  }
  tokens.push(END);
  return tokens;
}

const isName = (token: Token): boolean => token.kind === 'identifier' || token.kind === 'in' || token.kind === 'notin';

class LabelSelectorParser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    // Upstream's lexer takes a zero byte for the end.
    this.#tokens = tokenize(text.split('\0', 1)[0]!);
  }

  parse(): LabelSelectorMatcher {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.kind === 'end') break;
      if (!isName(first) && first.kind !== '!')
        throw badRequest(`found '${first.text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#inContext());
      const next = this.#take();
      if (next.kind === 'end') break;
      if (next.kind !== ',') throw badRequest(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (!isName(after) && after.kind !== '!')
        throw badRequest(`found '${after.text}', expected: identifier after ','`);
    }
    return new LabelSelectorMatcher(requirements);
  }

  #inContext(): LabelRequirement {
    try {
      return this.#requirement();
    } catch (error) {
      if (error instanceof StatusError) throw badRequest(`unable to parse requirement: ${error.message}`);
      throw error;
    }
  }

  #requirement(): LabelRequirement {
    const negated = this.#peek().kind === '!';
    if (negated) this.#take();
    const key = this.#take();
    if (!isName(key)) throw badRequest(`found '${key.text}', expected: identifier`);
    const keyErrors = qualifiedName(key.text);
    if (keyErrors.length > 0) throw badRequest(`<nil>: Invalid value: ${quote(key.text)}: ${keyErrors.join('; ')}`);
    if (negated) return LabelRequirement.checked(key.text, '!', []);
    if (this.#peek().kind === 'end' || this.#peek().kind === ',')
      return LabelRequirement.checked(key.text, 'exists', []);

    const symbol = this.#take();
    const operator = OPERATORS[symbol.kind];
    if (operator === undefined) throw badRequest(`found '${symbol.text}', expected: in, notin, =, ==, !=, gt, lt`);
    const values = operator === 'in' || operator === 'notin' ? this.#valueList() : [this.#exactValue()];
    return LabelRequirement.checked(key.text, operator, values);
  }

  #exactValue(): string {
    if (this.#peek().kind === 'end' || this.#peek().kind === ',') return '';
    const value = this.#take();
    if (!isName(value)) throw badRequest(`found '${value.text}', expected: identifier`);
    return value.text;
  }

  /** `(a,b)`; nothing between two separators is the empty value. */
  #valueList(): string[] {
    const open = this.#take();
    if (open.kind !== '(') throw badRequest(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind === ')') {
      this.#take();
      return [''];
    }
    if (!isName(first) && first.kind !== ',')
      throw badRequest(`found '${first.text}', expected: ',', ')' or identifier`);

    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      if (isName(token)) {
        values.add(token.text);
        const next = this.#peek();
        if (next.kind === ')') break;
        if (next.kind !== ',') throw badRequest(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        const next = this.#peek();
        if (values.size === 0 || next.kind === ',' || next.kind === ')') values.add('');
        if (next.kind === ')') break;
      } else {
        throw badRequest(`found '${token.text}', expected: ',', or identifier`);
      }
    }
    this.#take();
    return [...values];
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  #take(): Token {
    return this.#tokens[this.#at++] ?? END;
  }
}
