/** Field errors as upstream words them: where (a path), what (a type), the offending value, and a detail. */
import { quote } from '../../base/index.ts';

export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooShort'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'InternalError';

const TYPE_TEXT: Record<FieldErrorType, string> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooShort: 'Too short',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  InternalError: 'Internal error',
};

const WITHOUT_VALUE: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
]);

/** Stands for a value that the message leaves out. */
export const OMIT_VALUE = Symbol('omitted');

/** A value that is shown as it is, without quotes: for values whose upstream form is neither JSON nor a plain string. */
export class Verbatim {
  constructor(readonly text: string) {}
}

export class FieldError {
  readonly #at: Path | string;

  constructor(
    readonly type: FieldErrorType,
    at: Path | string,
    readonly value: unknown,
    readonly detail: string,
  ) {
    this.#at = at;
  }

  /** Where it is. The text is made when somebody asks: of very many errors an answer tells only the first. */
  get field(): string {
    return this.#at.toString();
  }

  /** What a Status cause's message says: everything but the path. Made once: it may hold a large value. */
  body(): string {
    return (this.#body ??= this.#makeBody());
  }

  #body: string | undefined;

  #makeBody(): string {
    let text = TYPE_TEXT[this.type];
    if (!WITHOUT_VALUE.has(this.type) && this.value !== OMIT_VALUE) text += `: ${valueText(this.value)}`;
    return this.detail === '' ? text : `${text}: ${this.detail}`;
  }

  toString(): string {
    return `${this.field}: ${this.body()}`;
  }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (value instanceof Verbatim) return value.text;
  if (value === undefined || value === null) return 'null';
  return JSON.stringify(value, plainNumber).replace(
    HTML,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Integers beyond a double's reach are rounded: the message shows which value is meant, not all of its digits. */
const plainNumber = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

/** What Go escapes in JSON, lest it be read as HTML. */
const HTML = /[<>&\u2028\u2029]/g;

/**
 * A place in an object: `path('spec').child('containers').index(0).child('name')` reads
 * `spec.containers[0].name`. Paths are made lazily: text is built only when an error is.
 */
export class Path {
  readonly #parent: Path | undefined;
  readonly #step: string;

  private constructor(parent: Path | undefined, step: string) {
    this.#parent = parent;
    this.#step = step;
  }

  static root(...names: string[]): Path {
    let at: Path | undefined;
    for (const name of names) at = new Path(at, at ? `.${name}` : name);
    return at ?? new Path(undefined, '');
  }

  child(...names: string[]): Path {
    let at: Path = this;
    for (const name of names) at = new Path(at, at.#isEmpty() ? name : `.${name}`);
    return at;
  }

  index(i: number): Path {
    return new Path(this, `[${i}]`);
  }

  key(key: string): Path {
    return new Path(this, `[${key}]`);
  }

  #isEmpty(): boolean {
    return this.#step === '' && this.#parent === undefined;
  }

  toString(): string {
    return this.#parent ? this.#parent.toString() + this.#step : this.#step;
  }
}

export const path = Path.root;

/** Where an error is about the object as a whole; upstream prints such a path as brackets with nothing in them. */
export const WHOLE_OBJECT = path().key('');

export const required = (at: Path, detail = ''): FieldError => new FieldError('FieldValueRequired', at, '', detail);
export const invalidValue = (at: Path, value: unknown, detail: string): FieldError =>
  new FieldError('FieldValueInvalid', at, value, detail);
export const typeInvalid = (at: Path, value: unknown, detail: string): FieldError =>
  new FieldError('FieldValueTypeInvalid', at, value, detail);
export const duplicate = (at: Path, value: unknown): FieldError => new FieldError('FieldValueDuplicate', at, value, '');
export const forbiddenField = (at: Path, detail: string): FieldError =>
  new FieldError('FieldValueForbidden', at, '', detail);
export const notFoundValue = (at: Path, value: unknown): FieldError =>
  new FieldError('FieldValueNotFound', at, value, '');
export const internalFieldError = (at: Path, detail: string): FieldError =>
  new FieldError('InternalError', at, undefined, detail);

const supportedTexts = new WeakMap<readonly string[], string>();

export function notSupported(at: Path, value: unknown, supported: readonly string[]): FieldError {
  let detail = supportedTexts.get(supported);
  if (detail === undefined)
    supportedTexts.set(
      supported,
      (detail = supported.length > 0 ? `supported values: ${supported.map(quote).join(', ')}` : ''),
    );
  return new FieldError('FieldValueNotSupported', at, value, detail);
}

export const tooLong = (at: Path, max: number): FieldError =>
  new FieldError('FieldValueTooLong', at, OMIT_VALUE, `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`);

export const tooMany = (at: Path, actual: number, max: number): FieldError =>
  new FieldError('FieldValueTooMany', at, actual, `must have at most ${max} ${max === 1 ? 'item' : 'items'}`);

export const tooFew = (at: Path, actual: number, min: number): FieldError =>
  new FieldError('FieldValueTooFew', at, actual, `must have at least ${min} ${min === 1 ? 'item' : 'items'}`);

export const tooShort = (at: Path, min: number): FieldError =>
  new FieldError('FieldValueTooShort', at, OMIT_VALUE, `must be at least ${min} ${min === 1 ? 'byte' : 'bytes'}`);

/** Characters of the errors that an answer tells of. A small object can have errors without end, each of which shows all of it. */
const MAX_ERROR_TEXT = 200_000;

/** The errors that an answer has room for: the first one always, however long it is. */
export function tellableErrors<T extends { toString(): string }>(errors: readonly T[]): readonly T[] {
  let left = MAX_ERROR_TEXT;
  const end = errors.findIndex((error) => left < 0 || ((left -= error.toString().length), false));
  return end < 0 ? errors : errors.slice(0, end);
}

/** Several errors as one message: each text once, in brackets when there is more than one. */
export function aggregateMessage(errors: readonly { toString(): string }[]): string {
  const told = tellableErrors(errors);
  const texts = [...new Set(told.map((e) => e.toString()))];
  if (told.length < errors.length) texts.push(`and ${errors.length - told.length} more errors`);
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
}
