import { append, isRecord } from '../../base/index.ts';

/**
 * The JSON paths of `additionalPrinterColumns`, `kubectl -o jsonpath` and friends: `.a.b`, `['a']`, `[0]`, `[1:3]`, `[*]`,
 * `..a`, `[0,2]`, `[?(@.a=="x")]`. A key that is missing gives no value; what cannot be asked (an index of something that
 * is no list) fails.
 */
export class JsonPathError extends Error {
  readonly code = 'InvalidJsonPath';
}

export interface JsonPath {
  readonly text: string;
  /** The values that the path leads to. Throws a JsonPathError. */
  find(root: unknown): unknown[];
}

type Step = (values: unknown[]) => unknown[];

/** Throws a JsonPathError for what is no path. */
export function parseJsonPath(text: string): JsonPath {
  const steps = new Parser(text).parse();
  return { text, find: (root) => run(steps, [root]) };
}

const run = (steps: readonly Step[], values: unknown[]): unknown[] =>
  steps.reduce((current, step) => step(current), values);

const FIELD = /^(?:\\.|[^\\\s.,[\]$@{}])*/su;
const NUMBER = /^[+-]?[\d.]+/;
const WORD = /^[\p{L}\p{N}_][^\s.,[\]$@{}]*/u;
const QUOTED = /^"(?:\\.|[^"\\\n])*"|^'(?:\\.|[^'\\\n])*'/;
const DICT_KEY = /^'([^']*)'$/;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)/;

class Parser {
  readonly #steps: Step[] = [];
  #afterRecursion = false;

  #rest: string;

  constructor(rest: string) {
    this.#rest = rest;
  }

  parse(): Step[] {
    while (this.#rest !== '') this.#parseStep();
    return this.#steps;
  }

  #parseStep(): void {
    const recursive = this.#afterRecursion;
    this.#afterRecursion = false;
    const first = this.#rest[0]!;
    if (this.#rest.startsWith('[?(')) this.#parseFilter();
    else if (this.#rest.startsWith('..')) this.#parseRecursion(recursive);
    else if (first === ' ' || first === '@' || first === '$') this.#rest = this.#rest.slice(1);
    else if (first === '[') this.#parseBrackets();
    else if (first === '"' || first === "'") this.#constant(unquote(this.#take(QUOTED, 'unterminated quoted string')));
    else if (first === '.') {
      this.#rest = this.#rest.slice(1);
      this.#parseField();
    } else if (/[+\-\d]/.test(first)) this.#parseNumber();
    else if (/[\p{L}_]/u.test(first)) this.#parseWord();
    else
      throw new JsonPathError(
        first === '\n' || first === '\r' ? 'unclosed action' : `unrecognized character in action: ${first}`,
      );
  }

  #take(pattern: RegExp, failure: string): string {
    const found = pattern.exec(this.#rest)?.[0];
    if (found === undefined) throw new JsonPathError(failure);
    this.#rest = this.#rest.slice(found.length);
    return found;
  }

  #constant(value: unknown): void {
    this.#steps.push((values) => values.map(() => value));
  }

  #parseField(): void {
    const name = this.#take(FIELD, 'field expected');
    this.#steps.push(name === '*' ? children : fieldStep(name.replaceAll('\\', '')));
  }

  #parseRecursion(again: boolean): void {
    if (again) throw new JsonPathError('invalid multiple recursive descent');
    this.#rest = this.#rest.slice(2);
    this.#steps.push(descendants);
    if (/^[\p{L}\p{N}_]/u.test(this.#rest)) this.#parseField();
    else this.#afterRecursion = true;
  }

  #parseNumber(): void {
    const text = this.#take(NUMBER, `cannot parse number ${this.#rest}`);
    const value = Number(text);
    if (Number.isNaN(value)) throw new JsonPathError(`cannot parse number ${text}`);
    this.#constant(value);
  }

  #parseWord(): void {
    const word = this.#take(WORD, 'word expected');
    if (word !== 'true' && word !== 'false') throw new JsonPathError(`unrecognized identifier ${word}`);
    this.#constant(word === 'true');
  }

  #parseBrackets(): void {
    const end = this.#rest.indexOf(']');
    if (end < 0) throw new JsonPathError('unterminated array');
    const inside = this.#rest.slice(1, end);
    this.#rest = this.#rest.slice(end + 1);
    const parts = inside.split(',');
    if (parts.length === 1) {
      append(this.#steps, bracketSteps(inside));
      return;
    }
    const branches = parts.map((part) => bracketSteps(part.trim()));
    this.#steps.push((values) => branches.flatMap((steps) => run(steps, values)));
  }

  #parseFilter(): void {
    const end = endOfFilter(this.#rest);
    const inside = this.#rest.slice('[?('.length, end);
    this.#rest = this.#rest.slice(end + ')]'.length);
    const comparison = splitComparison(inside);
    if (!comparison) {
      const steps = new Parser(inside).parse();
      this.#steps.push(filterStep((element) => run(steps, [element]).length > 0));
      return;
    }
    const left = new Parser(comparison.left).parse();
    const right = new Parser(comparison.right).parse();
    const { operator } = comparison;
    this.#steps.push(
      filterStep((element) => {
        const [lefts, rights] = [run(left, [element]), run(right, [element])];
        if (lefts.length > 1 || rights.length > 1) throw new JsonPathError('can only compare one element at a time');
        return lefts.length === 1 && rights.length === 1 && compare(lefts[0], operator, rights[0]);
      }),
    );
  }
}

/** The operator is as long as can be, and something must be left for its right side. */
function splitComparison(text: string): { left: string; operator: string; right: string } | undefined {
  const [both = '', left = '', operator = ''] = COMPARISON.exec(text) ?? [];
  if (text.length > both.length) return both === '' ? undefined : { left, operator, right: text.slice(both.length) };
  return operator.length < 2 ? undefined : { left, operator: operator.slice(0, -1), right: operator.slice(-1) };
}

/** Where the filter's `)]` stands; parentheses in quotes do not count. */
function endOfFilter(text: string): number {
  let quote = '';
  for (let i = '[?('.length; i < text.length; i++) {
    const char = text[i]!;
    if (quote !== '') {
      if (char === quote && text[i - 1] !== '\\') quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === ')') {
      if (text[i + 1] !== ']') throw new JsonPathError('unclosed array expect ]');
      return i;
    }
  }
  throw new JsonPathError('unterminated filter');
}

const ESCAPES: ReadonlyMap<string, string> = new Map(Object.entries({ n: '\n', t: '\t', r: '\r' }));

function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/gs, (_, char: string) => ESCAPES.get(char) ?? char);
}

function bracketSteps(inside: string): Step[] {
  const text = inside === '*' ? ':' : inside;
  const slice = SLICE.exec(text);
  if (slice) return [sliceStep(slice)];
  const key = DICT_KEY.exec(text);
  if (!key) throw new JsonPathError(`invalid array index ${text}`);
  return new Parser(`.${key[1] ?? ''}`).parse();
}

const fieldStep =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : []));

const childrenOf = (value: unknown): unknown[] =>
  Array.isArray(value)
    ? value
    : isRecord(value)
      ? Object.keys(value)
          .sort()
          .map((key) => value[key])
      : [];

const children: Step = (values) => values.flatMap(childrenOf);

/** Every list and map below, itself included, outermost first. */
const descendants: Step = (values) => {
  const found: unknown[] = [];
  const pending = [...values].reverse();
  while (pending.length > 0) {
    const value = pending.pop();
    const below = childrenOf(value);
    if (below.length === 0) continue;
    found.push(value);
    for (let i = below.length - 1; i >= 0; i--) pending.push(below[i]);
  }
  return found;
};

/** `[3]`, `[-1]`, `[1:3]`, `[::2]`. */
function sliceStep([, start = '', end, step]: RegExpExecArray): Step {
  const from = start === '' ? 0 : Number(start);
  const to = end === undefined ? from + 1 : end === ':' ? undefined : Number(end.slice(1));
  const by = step === undefined || step === ':' ? 1 : Number(step.slice(1));
  const isIndex = end === undefined;
  return (values) =>
    values.flatMap((value) => {
      if (value === null || value === undefined) return [];
      if (!Array.isArray(value)) throw new JsonPathError(`${typeof value} is not array or slice`);
      const first = from < 0 ? from + value.length : from;
      const last = to === undefined ? value.length : to < 0 || (to === 0 && isIndex) ? to + value.length : to;
      if (first === last) return [];
      if (first < 0 || first >= value.length) {
        throw new JsonPathError(`array index out of bounds: index ${first}, length ${value.length}`);
      }
      if (last < 0 || last > value.length)
        throw new JsonPathError(`array index out of bounds: index ${last - 1}, length ${value.length}`);
      if (first > last) throw new JsonPathError(`starting index ${first} is greater than ending index ${last}`);
      if (by <= 0) throw new JsonPathError('step must be > 0');
      return value.slice(first, last).filter((_, index) => index % by === 0);
    });
}

function filterStep(matches: (element: unknown) => boolean): Step {
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new JsonPathError('only a list can be filtered');
      return value.filter(matches);
    });
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  if (operator === '==' || operator === '!=') return (left === right) === (operator === '==');
  const comparable =
    (typeof left === 'number' && typeof right === 'number') || (typeof left === 'string' && typeof right === 'string');
  if (!comparable) throw new JsonPathError('incompatible types for comparison');
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}
