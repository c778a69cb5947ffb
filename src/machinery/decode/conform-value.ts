/** Brings parsed values into canonical form: the fast path of `conform.ts` first, then the exact decoder. */
import type { Message } from '../../api/index.ts';
import { badRequest } from '../errors/index.ts';
import { ConformRun, MISMATCH } from './conform-scalar.ts';
import { conformMessage } from './conform.ts';
import { countKeys } from './count-keys.ts';
import { documentOf, type JsonDocument } from './document.ts';
import { decodeExact } from './exact-decode.ts';
import { FatalDecodeError, TooDeepError } from './type-error.ts';

export interface Conformed {
  readonly object: Record<string, unknown>;
  /** `unknown field "spec.foo"`, `duplicate field "metadata.name"`; at most 100, as upstream keeps them. */
  readonly strictErrors: readonly string[];
}

/**
 * The canonical form of a parsed value: unknown fields dropped (and named), zero values and empty lists left out where
 * upstream leaves them out, quantities and times in their canonical text, keys in declared order. The result may share
 * maps and raw values with the input. Throws a StatusError with upstream's message for values of the wrong type.
 */
export function conform(message: Message, value: unknown): Conformed {
  const fast = tryConform(message, value, countKeys(value));
  return fast ? { object: fast, strictErrors: [] } : conformDocument(message, documentOf(value));
}

/** Like conform, for values that go to the store and are expected to be valid. Does not report unknown fields. */
export function canonicalize(message: Message, value: unknown): Record<string, unknown> {
  return (
    conformIn(new ConformRun(true), message, value) ??
    conformDocument(message, documentOf(value), new ConformRun(true)).object
  );
}

/** The canonical form; undefined if the value is invalid or the type declares other than `keys` of its keys. */
export function tryConform(message: Message, value: unknown, keys?: number): Record<string, unknown> | undefined {
  const run = new ConformRun();
  const object = conformIn(run, message, value);
  return keys === undefined || run.keys === keys ? object : undefined;
}

function conformIn(run: ConformRun, message: Message, value: unknown): Record<string, unknown> | undefined {
  try {
    return conformMessage(message, value, run);
  } catch (error) {
    if (error === MISMATCH || error instanceof TooDeepError) return undefined;
    throw error;
  }
}

export function conformDocument(message: Message, document: JsonDocument, run = new ConformRun()): Conformed {
  try {
    const { value, strictErrors } = decodeExact(message, document);
    return { object: conformMessage(message, value, run), strictErrors };
  } catch (error) {
    if (error instanceof FatalDecodeError) throw badRequest(error.message);
    throw error;
  }
}
