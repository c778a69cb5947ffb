/** Field errors of validation: path, type, offending value and detail, with upstream's texts. */
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

/** Marks a value that the message omits. */
export const OMIT_VALUE = Symbol('omitted');

/** A value whose text is shown as it is, for values that upstream prints neither as JSON nor as a string. */
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

  /** The path. Built on demand, because a Status shows only the first of very many errors. */
  get field(): string {
    return this.#at.toString();
  }

  /** The message of a Status cause: everything but the path. Cached, because it may contain a large value. */
  body(): string {
    return (this.#body ??= this.#formatBody());
  }

  #body: string | undefined;

  #formatBody(): string {
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

/** Rounds integers that a double cannot hold; JSON.stringify refuses bigints. */
const plainNumber = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

/** Characters that Go escapes in JSON. */
const HTML = /[<>&\u2028\u2029]/g;

/**
 * The path of a field: `path('spec').child('containers').index(0).child('name')` prints as `spec.containers[0].name`.
 * The text is built only for an error.
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

/** The path of errors about the whole object, which upstream prints as `[]`. */
export const WHOLE_OBJECT = path().key('');

export const required = (at: Path, detail = ''): FieldError => new FieldError('FieldValueRequired', at, '', detail);
export const invalidValue = (at: Path, value: unknown, detail: string): FieldError =>
  new FieldError('FieldValueInvalid', at, value, detail);
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

/**
 * The maximum text of the errors in a Status. A small object can have very many errors, each of which shows the
 * object.
 */
const MAX_ERROR_TEXT = 200_000;

/** The errors that fit into a Status; always at least the first. */
export function reportableErrors<T extends { toString(): string }>(errors: readonly T[]): readonly T[] {
  let remaining = MAX_ERROR_TEXT;
  const end = errors.findIndex((error) => remaining < 0 || ((remaining -= error.toString().length), false));
  return end < 0 ? errors : errors.slice(0, end);
}

/** Several errors as one message: without duplicates, in brackets if there is more than one. */
export function aggregateMessage(errors: readonly { toString(): string }[]): string {
  const reported = reportableErrors(errors);
  const texts = [...new Set(reported.map((e) => e.toString()))];
  if (reported.length < errors.length) texts.push(`and ${errors.length - reported.length} more errors`);
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
}
