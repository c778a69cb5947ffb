/** Applies a patch of any kind: decodes the body, patches the live object, and returns the patched value. */
import type { Message } from '../../api/index.ts';
import { isRecord, ownValue, runSteps, type Steps } from '../../base/index.ts';
import { checkNesting } from '../decode/index.ts';
import { invalid, invalidValue, path, type StatusError } from '../errors/index.ts';
import {
  decodeJsonPatch,
  decodeMergePatch,
  decodeStrategicMergePatch,
  type FieldValidation,
  type PatchBody,
} from './decode-patch.ts';
import { jsonPatchSteps } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { valueText } from './patch-errors.ts';
import { patchedText } from './patched-text.ts';
import { restoredIntegers, restoreError } from './restore-error.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { withinDepth } from './within-depth.ts';

export interface PatchRequest {
  readonly type:
    | 'application/json-patch+json'
    | 'application/merge-patch+json'
    | 'application/strategic-merge-patch+json';
  readonly body: PatchBody;
  readonly live: Readonly<Record<string, unknown>>;
  readonly message: Message;
  readonly fieldValidation: FieldValidation;
}

interface PatchedValue {
  /** Not canonical yet and without defaults. */
  readonly value: unknown;
  /** Strict errors of the patch itself; they precede those of the patched value. */
  readonly strictErrors: readonly string[];
  /** The error for a value that does not decode, or for strict errors: `patch: Invalid value: "…": <detail>`. */
  refuse(detail: string): StatusError;
}

/** Throws a StatusError if the body is not a patch or does not apply. */
export function patchObject(request: PatchRequest): PatchedValue {
  return runSteps(patchSteps(request));
}

/** The same in steps; each yields its weight. */
export function* patchSteps({ type, body, live, message, fieldValidation }: PatchRequest): Steps<PatchedValue> {
  if (type === 'application/strategic-merge-patch+json') {
    const { patch, strictErrors } = decodeStrategicMergePatch(body, fieldValidation);
    const merged = applyStrategicMergePatch(message, live, patch);
    const refuse = (detail: string): StatusError => refusal(valueText(withoutConsumed(patch, live)), ofMap(detail));
    const error = restoreError(message, merged, live);
    if (error !== undefined) throw refuse(error);
    const value = withinDepth(() => restoredIntegers(message, merged, live));
    return { value, strictErrors, refuse };
  }
  const { patch, strictErrors } =
    type === 'application/json-patch+json'
      ? decodeJsonPatch(body, fieldValidation)
      : decodeMergePatch(body, fieldValidation);
  const value = Array.isArray(patch) ? yield* jsonPatchSteps(live, patch) : applyMergePatch(live, patch);
  // A JSON patch can put a deep value at a deep path.
  if (Array.isArray(patch)) checkNesting(value);
  return { value, strictErrors, refuse: (detail) => refusal(patchedText(value, patch, message), detail) };
}

/** A strategic merge patch is decoded from a map, in which scalars with a syntax of their own do not know their field. */
const ofMap = (detail: string): string =>
  detail
    .replace(/^(json: cannot unmarshal \w+ into Go )struct field \S+ (of type string)$/, '$1value $2')
    .replace(/^illegal base64 data/, 'error decoding from json: illegal base64 data');

const refusal = (value: string, detail: string): StatusError =>
  invalid({ group: '', kind: '' }, '', [invalidValue(path('patch'), value, detail)]);

const ELEMENT_ORDER = '$setElementOrder/';

/**
 * The patch as upstream's messages show it: merging takes the lists whose order it sets, with the directives, out of the patch.
 * Maps that the live object does not have are not merged.
 */
function withoutConsumed(patch: unknown, live: unknown): unknown {
  if (!isRecord(patch) || !isRecord(live)) return patch;
  const isConsumed = (name: string): boolean =>
    name.startsWith(ELEMENT_ORDER) || name === '$retainKeys' || ownValue(patch, ELEMENT_ORDER + name) !== undefined;
  return Object.fromEntries(
    Object.entries(patch)
      .filter(([name]) => !isConsumed(name))
      .map(([name, value]) => [name, withoutConsumed(value, ownValue(live, name))]),
  );
}
