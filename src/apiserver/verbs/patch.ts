/** PATCH: JSON patch, merge patch, strategic merge patch, and server-side apply. */
import { cloneJson, formatTime, fromPieces } from '../../base/index.ts';
import { Growth } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import { failure, isStatusError, isTooLarge, unsupportedMediaType } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { patchObject, patchSteps, type PatchBody } from '../../machinery/patch/index.ts';
import { inSlices } from '../request/in-slices.ts';
import { writeOptions, type WriteOptions } from '../request/options.ts';
import { headerOf, type Result } from '../request/request.ts';
import { decodePatched } from '../stage-thread/decode-patched.ts';
import { apply } from './apply.ts';
import { reportStrictErrors } from './decode-body.ts';
import { managerOf, trackUpdate } from './managed-fields.ts';
import { betweenStages, noteGrowth, noteStoredSize, readBodyOf } from './read-body.ts';
import type { Scope } from './scope.ts';
import { textsOf } from './texts-of.ts';
import { threadKind } from './thread-kind.ts';
import { joinUnchanged, divideByChange, withOwnFields } from './unchanged-fields.ts';
import { updateObject } from './update-object.ts';

const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const;

type PatchType = (typeof PATCH_TYPES)[number];

export async function patch(scope: Scope): Promise<Result> {
  const type = patchType(scope);
  if (type === 'application/apply-patch+yaml') return apply(scope);
  noteStoredSize(scope);
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
    // The router refuses it: the endpoint, which would warn of a deprecated version, is not reached.
    scope.warnings.length = 0;
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
  if (scope.isLarge) {
    const inThread = await patchedInThread(scope, type, body, live, options);
    if (inThread) return inThread;
  }
  const patching = { type, body, live, message: served.message, fieldValidation };
  const { value, strictErrors, refuse } = scope.isLarge
    ? await inSlices(scope.backend.ctx.clock, patchSteps(patching))
    : patchObject(patching);
  await betweenStages(scope);
  // The result shares unchanged fields with the live object, which is frozen; the changed ones are copied.
  const divided = divideByChange(scope, live, value);
  const changed: unknown = cloneJson(divided ? divided.changed : value);
  try {
    const growth = new Growth();
    const decoded = decodePatched({ type, kind: served, live, value, changed, growth });
    reportStrictErrors(scope, [...strictErrors, ...decoded.strictErrors], fieldValidation);
    const complete = divided ? joinUnchanged(served, decoded.object, divided) : decoded.object;
    const result = applyDefaults(served, complete, {
      now: formatTime(scope.backend.ctx.clock.now()),
      alreadyDefaulted: scope.subresource === 'status' ? divided?.unchanged['spec'] : undefined,
      growth,
    });
    noteGrowth(scope, growth);
    return result;
  } catch (error) {
    // Errors in the result of a patch are reported as errors of the patch.
    if (isStatusError(error) && !isTooLarge(error)) throw refuse(error.message);
    throw error;
  }
}

/** The same in the thread of large requests; undefined where that cannot apply the patch. */
async function patchedInThread(
  scope: Scope,
  type: Exclude<PatchType, 'application/apply-patch+yaml'>,
  body: PatchBody,
  live: KubeObject,
  { fieldValidation }: WriteOptions,
): Promise<KubeObject | undefined> {
  const { served, backend } = scope;
  const known = threadKind(served);
  const texts = known && body instanceof Uint8Array ? await textsOf(scope, live) : undefined;
  if (!known || !texts || !(body instanceof Uint8Array)) return undefined;
  const now = formatTime(backend.ctx.clock.now());
  const input = { type, body, live: texts[0]!, kind: known.kind, fieldValidation, now };
  const output = await backend.stages.run('patch', input, known.custom);
  if (!output) return undefined;
  reportStrictErrors(scope, output.strictErrors, fieldValidation);
  return (await inSlices(backend.ctx.clock, fromPieces(output.object))) as KubeObject;
}
