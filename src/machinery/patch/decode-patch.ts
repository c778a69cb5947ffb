/** Decodes the three kinds of patches from request bodies, with upstream's errors. */
import { isRecord } from '../../base/index.ts';
import { parseJson } from '../decode/index.ts';
import { badRequest, requestEntityTooLarge, StatusError } from '../errors/index.ts';

export interface DecodedPatch<T> {
  readonly patch: T;
  /** Errors of strict field validation: `duplicate field "data.one"`. Empty for fieldValidation=Ignore. */
  readonly strictErrors: readonly string[];
}

/** The text of a patch, or a value for a patch that was never text. */
export type PatchBody = Uint8Array | string | { readonly decoded: unknown };

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** An operation as it was sent; applying it finds missing members. */
export type JsonPatchOperation = Readonly<Record<string, unknown>> | null;

const MAX_OPERATIONS = 10_000;
const OPERATION_MEMBERS = ['op', 'path', 'from', 'value'];

export function decodeJsonPatch(body: PatchBody, validation: FieldValidation): DecodedPatch<JsonPatchOperation[]> {
  const validates = validation !== 'Ignore';
  const prefix = validates ? 'error decoding patch: ' : '';
  const { value, duplicates } = parsePatch(body, prefix, validates ? refuseNumberOfOperation : undefined);
  if (value !== null && !Array.isArray(value)) {
    throw badRequest(
      `${prefix}json: cannot unmarshal ${jsonKind(value)} into Go value of type ${validates ? '[]handlers.jsonPatchOp' : 'jsonpatch.Patch'}`,
    );
  }
  const strictErrors = validates ? duplicates.map((path) => `json patch duplicate field "${path}"`) : [];
  const operations = ((value ?? []) as unknown[]).map((operation, index): JsonPatchOperation => {
    if (operation === null) return null;
    if (!isRecord(operation)) {
      const type = validates ? 'handlers.jsonPatchOp' : 'jsonpatch.Operation';
      throw badRequest(`${prefix}json: cannot unmarshal ${jsonKind(operation)} into Go value of type ${type}`);
    }
    if (!validates) return operation;
    for (const [name, member] of Object.entries(operation)) {
      if (!OPERATION_MEMBERS.includes(name)) strictErrors.push(`json patch unknown field "[${index}].${name}"`);
      else if (name !== 'value' && member !== null && typeof member !== 'string') {
        throw badRequest(
          `${prefix}json: cannot unmarshal ${jsonKind(member)} into Go struct field jsonPatchOp.${name} of type string`,
        );
      }
    }
    return operation;
  });
  if (operations.length > MAX_OPERATIONS) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  return { patch: operations, strictErrors };
}

export function decodeMergePatch(body: PatchBody, validation: FieldValidation): DecodedPatch<Record<string, unknown>> {
  if (validation === 'Ignore') {
    try {
      const { value } = readPatch(body);
      if (isRecord(value)) return { patch: value, strictErrors: [] };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
    throw badRequest('Invalid JSON Patch');
  }
  const { value, duplicates } = parsePatch(body, 'error decoding patch: ');
  if (value === null) throw badRequest('Invalid JSON Patch');
  return { patch: objectOf(value, 'error decoding patch: '), strictErrors: duplicates.map(duplicateField) };
}

export function decodeStrategicMergePatch(
  body: PatchBody,
  validation: FieldValidation,
): DecodedPatch<Record<string, unknown>> {
  const { value, duplicates } = parsePatch(body, '');
  return {
    patch: value === null ? {} : objectOf(value, ''),
    strictErrors: validation === 'Ignore' ? [] : duplicates.map(duplicateField),
  };
}

const duplicateField = (path: string): string => `duplicate field "${path}"`;

/** Upstream decodes the value of an operation into a Go struct field, which its error names. */
function refuseNumberOfOperation(text: string): never {
  throw badRequest(`json: cannot unmarshal number ${text} into Go struct field jsonPatchOp.value of type float64`);
}

const readPatch = (body: PatchBody, onNumberOutOfRange?: (text: string) => void): ReturnType<typeof parseJson> =>
  typeof body === 'object' && 'decoded' in body
    ? { value: body.decoded, duplicates: [] }
    : parseJson(body, onNumberOutOfRange);

function parsePatch(
  body: PatchBody,
  prefix: string,
  onNumberOutOfRange?: (text: string) => void,
): ReturnType<typeof parseJson> {
  try {
    return readPatch(body, onNumberOutOfRange);
  } catch (error) {
    if (error instanceof StatusError) throw badRequest(`${prefix}${error.message}`);
    throw error;
  }
}

function objectOf(value: unknown, prefix: string): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw badRequest(`${prefix}json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`);
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  return value === null ? 'null' : typeof value;
}
