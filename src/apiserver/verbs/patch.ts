/** PATCH: JSON patch, merge patch, strategic merge patch, and server-side apply. */
import { conform } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import { isRecord, type KubeObject } from '../../machinery/object.ts';
import { quote } from '../../machinery/quote.ts';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  decodeJsonPatch,
  decodeMergePatch,
  decodeStrategicMergePatch,
  type DecodedPatch,
} from '../../machinery/patch/index.ts';
import { badRequest, failure, invalid, isStatusError } from '../../machinery/status.ts';
import { invalidValue, path } from '../../machinery/validation/index.ts';
import { writeOptions, type WriteOptions } from '../options.ts';
import { managerOf, trackUpdate } from '../registry/managed-fields.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { headerOf } from '../request.ts';
import type { Result } from '../result.ts';
import type { Scope } from '../scope.ts';
import { apply } from './apply.ts';
import { reportStrictErrors } from './decode-body.ts';
import { updateObject } from './update-object.ts';

export const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const;

export type PatchType = (typeof PATCH_TYPES)[number];

export async function patch(scope: Scope): Promise<Result> {
  const type = patchType(scope);
  if (type === 'application/apply-patch+yaml') return apply(scope);
  const options = writeOptions('PatchOptions', scope.request.query);
  const body = await scope.request.readBody();
  const manager = managerOf(scope, options);
  const patcher = patcherOf(scope, type, body, options);
  const { entry } = await updateObject(scope, {
    options,
    unconditional: true,
    compute: (live) => trackUpdate(scope, live, patched(scope, patcher, live, options), manager),
  });
  return { type: 'entry', status: 200, entry };
}

export function patchType(scope: Scope): PatchType {
  const contentType = (headerOf(scope.request, 'content-type') ?? '').split(';')[0]!.trim();
  const allowed: readonly string[] = scope.served.custom ? PATCH_TYPES.filter((t) => t !== 'application/strategic-merge-patch+json') : PATCH_TYPES;
  if (!allowed.includes(contentType)) {
    throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  return contentType as PatchType;
}

type Patcher = (target: Readonly<Record<string, unknown>>) => unknown;

/** Reads the body once; applying it may have to be repeated on a newer object. */
export function patcherOf(scope: Scope, type: PatchType, body: Buffer, options: WriteOptions): Patcher {
  const { fieldValidation } = options;
  const read = <T>({ patch, strictErrors }: DecodedPatch<T>): T => {
    reportStrictErrors(scope, strictErrors, fieldValidation);
    return patch;
  };
  switch (type) {
    case 'application/json-patch+json': {
      const operations = read(decodeJsonPatch(body, fieldValidation));
      return (target) => applyJsonPatch(target, operations);
    }
    case 'application/merge-patch+json': {
      const changes = read(decodeMergePatch(body, fieldValidation));
      return (target) => applyMergePatch(target, changes);
    }
    default: {
      const changes = read(decodeStrategicMergePatch(body, fieldValidation));
      return (target) => applyStrategicMergePatch(scope.served.message, target, changes);
    }
  }
}

export function patched(scope: Scope, apply: Patcher, live: KubeObject, options: WriteOptions): KubeObject {
  const { served } = scope;
  // The result shares parts with the live object, which is frozen: what follows changes its own copy.
  const result = structuredClone(apply(live));
  const decoded = refusedAsPatch(result, () => {
    checkType(served, live, result);
    const found = (served.conform ?? conform)(served.message, result);
    reportStrictErrors(scope, found.strictErrors, options.fieldValidation);
    return found;
  });
  const object = { ...decoded.object, kind: served.kind, apiVersion: live.apiVersion } as unknown as KubeObject;
  object.metadata ??= {};
  return applyDefaults(served, object);
}

/** What is wrong with the result of a patch is shown as a fault of the patch. */
function refusedAsPatch<T>(result: unknown, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!isStatusError(error)) throw error;
    throw invalid({ group: '', kind: '' }, '', [invalidValue(path('patch'), JSON.stringify(sortedKeys(result)), error.message)]);
  }
}

/** A patch that turns the object into another kind gets what decoding that would give. */
function checkType(served: ServedResource, live: KubeObject, result: unknown): void {
  if (!isRecord(result)) return;
  const { kind = served.kind, apiVersion = live.apiVersion } = result;
  if (kind === served.kind && apiVersion === live.apiVersion) return;
  throw badRequest(`no kind ${quote(String(kind))} is registered for version ${quote(String(apiVersion))} in scheme "pkg/api/legacyscheme/scheme.go:30"`);
}

const sortedKeys = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
