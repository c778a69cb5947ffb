/** Test cases that change one thing in a valid object. */
import { isRecord, type JsonObject } from '../../../base/index.ts';
import {
  DEFAULT_VALIDATION_CONTEXT,
  validateCreate,
  validateStatusUpdate,
  validateUpdate,
  type ValidatedResource,
  type ValidationContext,
} from '../index.ts';

/** Merged into the valid object; null removes a field, a list replaces the list. */
type Change = JsonObject;

export type Case = readonly [name: string, change: Change, errors: readonly string[]];

interface KindUnderTest extends ValidatedResource {
  readonly context?: Partial<ValidationContext>;
}

const contextOf = ({ context }: KindUnderTest): ValidationContext => ({ ...DEFAULT_VALIDATION_CONTEXT, ...context });

export function changed(object: JsonObject, change: Change): JsonObject {
  const out: JsonObject = { ...object };
  for (const [name, value] of Object.entries(change)) {
    const before = out[name];
    if (value === null) delete out[name];
    else
      out[name] = isRecord(value)
        ? changed(isRecord(before) ? (before as JsonObject) : {}, value as JsonObject)
        : value;
  }
  return out;
}

export const createErrors = (kind: KindUnderTest, object: JsonObject, change: Change): string[] =>
  validateCreate(kind, changed(object, change), contextOf(kind)).map(String);

const STORED: Change = { metadata: { resourceVersion: '1' } };

/** Without duplicates: updates validate the metadata, and some kinds their spec, several times. */
export function updateErrors(kind: KindUnderTest, object: JsonObject, change: Change): string[] {
  const stored = changed(object, STORED);
  return [...new Set(validateUpdate(kind, changed(stored, change), stored, contextOf(kind)).map(String))];
}

export function statusErrors(kind: KindUnderTest, object: JsonObject, change: Change): string[] {
  const stored = changed(object, STORED);
  return [...new Set(validateStatusUpdate(kind, changed(stored, change), stored, contextOf(kind)).map(String))];
}
