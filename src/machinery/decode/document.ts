/**
 * A JSON document as it was written: with duplicate keys, key order and numbers as text. Upstream decodes from the
 * text, so everything that depends on the text (which of two duplicate fields counts, which error comes first, `2.0`
 * for an integer) is decided on this form.
 */
import { setOwn } from '../../base/index.ts';
import { badRequest } from '../errors/index.ts';

export type JsonDocument = ObjectDocument | JsonDocument[] | NumberLiteral | string | boolean | null;

export class ObjectDocument {
  readonly keys: string[] = [];
  readonly values: JsonDocument[] = [];
}

export class NumberLiteral {
  constructor(readonly text: string) {}

  /**
   * A bigint for a 64-bit integer that a double cannot hold exactly. Undefined for a number outside the range of
   * doubles.
   */
  toValue(): number | bigint | undefined {
    const number = Number(this.text);
    if (!Number.isFinite(number)) return undefined;
    if (Number.isSafeInteger(number) || !/^-?\d+$/.test(this.text)) return number;
    const exact = BigInt(this.text);
    return BigInt.asIntN(64, exact) === exact ? exact : number;
  }
}

/** Reads valid JSON. Does not recurse, because the document may nest to any depth. */
export function readDocument(text: string): JsonDocument {
  const open: (ObjectDocument | JsonDocument[])[] = [];
  let at = 0;
  for (;;) {
    at = skipSeparators(text, at);
    const char = text[at];
    if (char === '}' || char === ']') {
      const closed = open.pop()!;
      if (open.length === 0) return closed;
      at++;
      continue;
    }
    const end = char === '"' ? endOfString(text, at) : char === '{' || char === '[' ? at + 1 : endOfWord(text, at);
    const token = text.slice(at, end);
    at = end;
    const parent = open.at(-1);
    if (parent instanceof ObjectDocument && parent.keys.length === parent.values.length) {
      parent.keys.push(readString(token));
      continue;
    }
    const value = readToken(token);
    if (parent instanceof ObjectDocument) parent.values.push(value);
    else parent?.push(value);
    if (value instanceof ObjectDocument || Array.isArray(value)) open.push(value);
    else if (!parent) return value;
  }
}

function skipSeparators(text: string, from: number): number {
  let at = from;
  while (' \t\r\n,:'.includes(text[at] ?? '-')) at++;
  return at;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    let escapes = quote;
    while (text[escapes - 1] === '\\') escapes--;
    if ((quote - escapes) % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && !' \t\r\n,:]}'.includes(text[at]!)) at++;
  return at;
}

function readToken(token: string): JsonDocument {
  switch (token) {
    case '{':
      return new ObjectDocument();
    case '[':
      return [];
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
    default:
      return token.startsWith('"') ? readString(token) : new NumberLiteral(token);
  }
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const readString = (literal: string): string =>
  literal.includes('\\') ? (JSON.parse(literal) as string).replace(LONE_SURROGATE, '\ufffd') : literal.slice(1, -1);

export interface PlainValue {
  readonly value: unknown;
  /** Paths of duplicate keys: `spec.a[0].b`. */
  readonly duplicates: readonly string[];
}

interface Frame {
  readonly from: ObjectDocument | JsonDocument[];
  readonly to: Record<string, unknown> | unknown[];
  next: number;
}

/** Go's error for a number outside the range of float64. */
export const numberRangeError = (text: string): string =>
  `json: cannot unmarshal number ${text} into Go value of type float64`;

/**
 * The value of a document; the last of duplicate keys wins. Walks in document order, without recursion.
 * `onNumberOutOfRange` is called for a number that no double can hold; by default it throws a StatusError.
 */
export function plainValue(
  document: JsonDocument,
  onNumberOutOfRange: (text: string) => void = refuseNumber,
): PlainValue {
  const duplicates: string[] = [];
  const frames: Frame[] = [];
  const convert = (from: JsonDocument): unknown => {
    if (from instanceof NumberLiteral) return from.toValue() ?? onNumberOutOfRange(from.text) ?? null;
    if (!(from instanceof ObjectDocument || Array.isArray(from))) return from;
    const to = Array.isArray(from) ? [] : {};
    frames.push({ from, to, next: 0 });
    return to;
  };
  const value = convert(document);
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    const i = frame.next++;
    const elements = frame.from instanceof ObjectDocument ? frame.from.values : frame.from;
    if (i >= elements.length) {
      frames.pop();
    } else if (Array.isArray(frame.to)) {
      frame.to.push(convert(elements[i]!));
    } else {
      const key = (frame.from as ObjectDocument).keys[i]!;
      if (Object.hasOwn(frame.to, key)) duplicates.push(pathOf(frames));
      setOwn(frame.to, key, convert(elements[i]!));
    }
  }
  return { value, duplicates };
}

function refuseNumber(text: string): never {
  throw badRequest(numberRangeError(text));
}

function pathOf(frames: readonly Frame[]): string {
  let path = '';
  for (const { from, next } of frames) {
    if (from instanceof ObjectDocument) path += path === '' ? from.keys[next - 1]! : `.${from.keys[next - 1]!}`;
    else path += `[${next - 1}]`;
  }
  return path;
}

/** The document of a value that was not parsed from text. */
export function documentOf(value: unknown): JsonDocument {
  const work: { from: object; to: ObjectDocument | JsonDocument[] }[] = [];
  const convert = (from: unknown): JsonDocument => {
    if (typeof from === 'number' || typeof from === 'bigint') return new NumberLiteral(String(from));
    if (typeof from === 'string' || typeof from === 'boolean' || from === null || from === undefined)
      return from ?? null;
    if (typeof from !== 'object') return null;
    const to = Array.isArray(from) ? [] : new ObjectDocument();
    work.push({ from, to });
    return to;
  };
  const document = convert(value);
  for (let item = work.pop(); item; item = work.pop()) {
    const { from, to } = item;
    if (to instanceof ObjectDocument) {
      for (const [key, element] of Object.entries(from)) {
        if (element === undefined) continue;
        to.keys.push(key);
        to.values.push(convert(element));
      }
    } else {
      for (const element of from as unknown[]) to.push(convert(element));
    }
  }
  return document;
}
