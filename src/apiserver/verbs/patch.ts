/** PATCH: JSON patch, merge patch, strategic merge patch, and server-side apply. */
import { cloneJson, formatTime, isRecord, quote } from '../../base/index.ts';
import { conform } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import { badRequest, failure, isStatusError, unsupportedMediaType } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { patchObject, patchSteps, type PatchBody } from '../../machinery/patch/index.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { inSlices } from '../request/in-slices.ts';
import { writeOptions, type WriteOptions } from '../request/options.ts';
import { headerOf, type Result } from '../request/request.ts';
import { apply } from './apply.ts';
import { reportStrictErrors } from './decode-body.ts';
import { managerOf, trackUpdate } from './managed-fields.ts';
import { betweenStages, readBodyOf } from './read-body.ts';
import type { Scope } from './scope.ts';
import { joinUnchanged, divideByChange, withOwnFields } from './unchanged-fields.ts';
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
  const { request } = scope;
  const body = request.patch === undefined ? await readBodyOf(scope) : { decoded: request.patch };
  const manager = managerOf(scope, options);
  const { entry } = await updateObject(scope, {
    options,
    unconditional: true,
    async compute(live) {
      const object = await patched(scope, type, body, live, options);
      await betweenStages(scope);
      return withOwnFields(scope, live, await trackUpdate(scope, live, object, manager));
    },
  });
  return { type: 'entry', status: 200, entry };
}

export function patchType(scope: Scope): PatchType {
  const contentType = (headerOf(scope.request, 'content-type') ?? '').split(';')[0]!.trim();
  const allowed: readonly string[] = scope.served.custom
    ? PATCH_TYPES.filter((t) => t !== 'application/strategic-merge-patch+json')
    : PATCH_TYPES;
  if (!allowed.includes(contentType)) {
    if (scope.served.custom)
      throw unsupportedMediaType(
        `the body of the request was in an unknown format - accepted media types include: ${allowed.join(', ')}`,
      );
    throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  return contentType as PatchType;
}

export async function patched(
  scope: Scope,
  type: Exclude<PatchType, 'application/apply-patch+yaml'>,
  body: PatchBody,
  live: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const { served } = scope;
  const { fieldValidation } = options;
  const patching = { type, body, live, message: served.message, fieldValidation };
  const { value, strictErrors, refuse } = scope.isLarge
    ? await inSlices(scope.backend.ctx.clock, patchSteps(patching))
    : patchObject(patching);
  await betweenStages(scope);
  // The result shares unchanged fields with the live object, which is frozen; the changed ones are copied.
  const divided = divideByChange(scope, live, value);
  const result: unknown = cloneJson(divided ? divided.changed : value);
  try {
    if (type !== 'application/strategic-merge-patch+json' && !served.custom) checkType(served, live, result);
    const decoded = (served.conform ?? conform)(served.message, result);
    // Upstream decodes a strategic merge patch from a Go map, whose keys have no order.
    const unknown =
      type === 'application/strategic-merge-patch+json' ? decoded.strictErrors.toSorted() : decoded.strictErrors;
    reportStrictErrors(scope, [...strictErrors, ...unknown], fieldValidation);
    // A custom resource's validation refuses another kind, under that kind's name.
    const kind = served.custom ? decoded.object['kind'] : served.kind;
    const object = { ...decoded.object, kind, apiVersion: live.apiVersion } as unknown as KubeObject;
    object.metadata ??= {};
    if (live.metadata.managedFields && !hasManagedFields(value)) object.metadata.managedFields = [];
    const complete = divided ? joinUnchanged(served, object, divided) : object;
    return applyDefaults(served, complete, {
      now: formatTime(scope.backend.ctx.clock.now()),
      alreadyDefaulted: scope.subresource === 'status' ? divided?.unchanged['spec'] : undefined,
    });
  } catch (error) {
    // Errors in the result of a patch are reported as errors of the patch.
    if (isStatusError(error)) throw refuse(error.message);
    throw error;
  }
}

/** A patch that removes managedFields resets field tracking. */
const hasManagedFields = (result: unknown): boolean => {
  const metadata = isRecord(result) && isRecord(result['metadata']) ? result['metadata'] : {};
  return Array.isArray(metadata['managedFields']) && metadata['managedFields'].length > 0;
};

/** A patch that changes the kind gets the error of decoding that kind. */
function checkType(served: ServedResource, live: KubeObject, result: unknown): void {
  if (!isRecord(result)) return;
  const { kind = served.kind, apiVersion = live.apiVersion } = result;
  if (kind === served.kind && apiVersion === live.apiVersion) return;
  throw badRequest(
    `no kind ${quote(String(kind))} is registered for version ${quote(String(apiVersion))} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  );
}
