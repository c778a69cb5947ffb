/** PATCH: JSON patch, merge patch, strategic merge patch, and server-side apply. */
import { conform, parseJson } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import type { JsonValue, KubeObject } from '../../machinery/object.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from '../../machinery/patch/index.ts';
import { unsupportedMediaType } from '../../machinery/status.ts';
import { writeOptions, type WriteOptions } from '../options.ts';
import { managerOf, trackUpdate } from '../registry/managed-fields.ts';
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
  const { entry } = await updateObject(scope, {
    options,
    unconditional: true,
    compute: (live) => trackUpdate(scope, live, patched(scope, type, body, live, options), manager),
  });
  return { type: 'entry', status: 200, entry };
}

export function patchType(scope: Scope): PatchType {
  const contentType = (headerOf(scope.request, 'content-type') ?? '').split(';')[0]!.trim();
  const allowed: readonly string[] = scope.served.custom ? PATCH_TYPES.filter((t) => t !== 'application/strategic-merge-patch+json') : PATCH_TYPES;
  if (!allowed.includes(contentType)) {
    throw unsupportedMediaType(`the body of the request was in an unknown format - accepted media types include: ${allowed.join(', ')}`);
  }
  return contentType as PatchType;
}

function patched(scope: Scope, type: PatchType, body: Buffer, live: KubeObject, options: WriteOptions): KubeObject {
  const { served } = scope;
  const target = live as unknown as JsonValue;
  const result = patchResult(scope, type, body, target);
  const decoded = (served.conform ?? conform)(served.message, result);
  reportStrictErrors(scope, decoded.strictErrors, options.fieldValidation);
  const object = { kind: served.kind, apiVersion: live.apiVersion, ...decoded.object } as KubeObject;
  object.metadata ??= {};
  applyDefaults(object);
  return object;
}

function patchResult(scope: Scope, type: PatchType, body: Buffer, target: JsonValue): unknown {
  switch (type) {
    case 'application/json-patch+json':
      return applyJsonPatch(target, parseJson(body));
    case 'application/merge-patch+json':
      return applyMergePatch(target, parseJson(body));
    default:
      return applyStrategicMergePatch(scope.served.message, target, parseJson(body));
  }
}
