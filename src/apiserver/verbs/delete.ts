/**
 * DELETE. A grace period, finalizers or dependents that must go first turn the deletion into a mark on the object;
 * otherwise the object is removed at once.
 */
import type { DeleteOptions, Status } from '../../api/generated/meta-v1.ts';
import { cloneJson, formatTime } from '../../base/index.ts';
import { conflict } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { attributesOf } from '../admission/attributes.ts';
import { errorKind } from '../registry/served-resource.ts';
import type { Strategy } from '../registry/strategy.ts';
import { checkDeleteOptions, deleteOptionsFromQuery } from '../request/options.ts';
import type { Result } from '../request/request.ts';
import { LARGE_BYTES } from '../request/responses.ts';
import type { Entry } from '../storage/entry.ts';
import { checkName } from './check-name.ts';
import { decodeDeleteOptions } from './decode-body.ts';
import { encodeLarge } from './encode-large.ts';
import { isFinished } from './finish-deletion.ts';
import { writeContext } from './prepare-for-create.ts';
import type { Scope } from './scope.ts';

const MAX_ATTEMPTS = 100;

export async function deleteVerb(scope: Scope): Promise<Result> {
  const options = await readDeleteOptions(scope);
  checkName(scope.place.name);
  const { entry, gone } = await deleteObject(scope, options);
  if (!gone) return { type: 'entry', status: options.orphanDependents === false ? 202 : 200, entry };
  if (scope.served.strategy.deleteReturnsObject) return { type: 'entry', status: 200, entry };
  return { type: 'object', status: 200, object: successStatus(scope, entry.object) };
}

export async function readDeleteOptions(scope: Scope): Promise<DeleteOptions> {
  const body = await decodeDeleteOptions(scope);
  const options = body ?? deleteOptionsFromQuery(scope.request.query);
  checkDeleteOptions(options);
  const { propagationWarning } = scope.served.strategy;
  if (propagationWarning && options.propagationPolicy === undefined && options.orphanDependents === undefined)
    scope.warnings.push(propagationWarning);
  return options;
}

/** `admitted`: admission has seen the request already, as an eviction. */
export async function deleteObject(
  scope: Scope,
  options: DeleteOptions,
  { admitted = false, onAdmitted }: { readonly admitted?: boolean; readonly onAdmitted?: () => void } = {},
): Promise<{ entry: Entry; gone: boolean }> {
  const { backend, served, place } = scope;
  const dryRun = (options.dryRun?.length ?? 0) > 0;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const current =
      attempt === 0 ? await backend.objects.get(served, place) : await backend.objects.fresh(served, place);
    checkPreconditions(scope, options, current);
    if (!admitted) await admitDeletion(scope, current, options, dryRun);
    onAdmitted?.();
    const marked = markForDeletion(scope, current.object, options, dryRun);
    if (marked === 'already-marked') return { entry: current, gone: false };
    if (isFinished(scope, marked)) {
      const last = await markedEntry(scope, current, marked, dryRun);
      const revision = last && (await backend.objects.remove(served, place, last, dryRun, scope.span));
      if (revision === undefined) continue;
      if (!dryRun) await served.strategy.afterDelete?.(current.object, writeContext(scope, dryRun));
      return { entry: shownAfterRemoval(scope, current, marked), gone: true };
    }
    const entry = await replaceByMarked(scope, current, marked, dryRun);
    if (entry) return { entry, gone: false };
  }
  throw conflict(served.groupResource, place.name, 'the object keeps being modified');
}

/** Kinds with graceful deletion are marked before they are removed, even without a grace period: watchers see both. */
function markedEntry(
  scope: Scope,
  current: Entry,
  marked: KubeObject,
  dryRun: boolean,
): Promise<Entry | undefined> | Entry {
  const [before, after] = [current.object.metadata, marked.metadata];
  const isMarked =
    before.deletionTimestamp === after.deletionTimestamp &&
    before.deletionGracePeriodSeconds === after.deletionGracePeriodSeconds;
  if (dryRun || isMarked || !scope.served.strategy.gracePeriod) return current;
  return replaceByMarked(scope, current, marked, dryRun);
}

/** A large object is encoded in slices, as other writes do it. */
async function replaceByMarked(
  scope: Scope,
  current: Entry,
  marked: KubeObject,
  dryRun: boolean,
): Promise<Entry | undefined> {
  const { backend, served, place, span } = scope;
  const encoded = current.size >= LARGE_BYTES ? await encodeLarge({ isLarge: true, backend }, marked) : undefined;
  return backend.objects.replace(served, place, current, marked, dryRun, encoded, span);
}

async function admitDeletion(scope: Scope, current: Entry, options: DeleteOptions, dryRun: boolean): Promise<void> {
  const { admission } = scope.backend;
  const attributes = attributesOf(scope, {
    operation: 'DELETE',
    oldObject: current.object,
    // Admission sees no name when a collection is deleted.
    name: scope.info.verb === 'deletecollection' ? '' : scope.place.name,
    options: { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions', ...options } as unknown as KubeObject,
    dryRun,
  });
  await admission.admit(attributes);
  await admission.validate(attributes);
}

/** Kinds with graceful deletion return the marked object; others the object as it was. */
function shownAfterRemoval(scope: Scope, current: Entry, marked: KubeObject): Entry {
  return scope.served.strategy.gracePeriod ? current.showing(marked) : current;
}

export function checkPreconditions(scope: Scope, options: DeleteOptions, current: Entry): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const subject = { group: '', resource: scope.served.kind };
  const actual = current.object.metadata.uid;
  const isOther = uid !== undefined && uid !== actual;
  const isChanged = resourceVersion !== undefined && resourceVersion !== String(current.revision);
  // Kinds with a deletion of their own check it before all others.
  if ((isOther || isChanged) && scope.served.strategy.deletionHeld) {
    const [what, wanted, found] = isOther
      ? ['UID', uid, actual]
      : ['ResourceVersion', resourceVersion, current.revision];
    const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`;
    throw conflict(scope.served.groupResource, scope.place.name, why);
  }
  if (isOther) {
    throw withoutDetailGroup(
      conflict(
        subject,
        scope.place.name,
        `the UID in the precondition (${uid}) does not match the UID in record (${actual}). The object might have been deleted and then recreated`,
      ),
      scope,
    );
  }
  if (isChanged) {
    throw withoutDetailGroup(
      conflict(
        subject,
        scope.place.name,
        `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${current.revision}). The object might have been modified`,
      ),
      scope,
    );
  }
}

/** As upstream, the group is in the message but not in the details. */
function withoutDetailGroup(error: ReturnType<typeof conflict>, scope: Scope): ReturnType<typeof conflict> {
  const { group, kind } = errorKind(scope.served);
  error.status.details = { name: scope.place.name, ...(group === '' ? {} : { group }), kind };
  const qualified = group === '' ? kind : `${kind}.${group}`;
  error.status.message = error.status.message!.replace(`on ${kind} `, `on ${qualified} `);
  return error;
}

/** The object with the marks of its deletion. */
function markForDeletion(
  scope: Scope,
  current: KubeObject,
  options: DeleteOptions,
  dryRun: boolean,
): KubeObject | 'already-marked' {
  const { strategy } = scope.served;
  const { clock } = scope.backend.ctx;
  // What holds a deletion besides finalizers is waited for, whatever the policy of another delete.
  if (current.metadata.deletionTimestamp && strategy.deletionHeld?.(current)) return 'already-marked';
  // Only a strategy changes more than the metadata; a large object takes long to copy.
  const object = strategy.prepareForDelete ? cloneJson(current) : { ...current, metadata: { ...current.metadata } };
  const meta = object.metadata;
  const ignoresPolicy = strategy.firstDeleteIgnoresPropagation && !current.metadata.deletionTimestamp;
  const finalizers = ignoresPolicy
    ? (meta.finalizers ?? [])
    : deletionFinalizers(strategy.defaultPropagation, meta.finalizers ?? [], options);
  const sameFinalizers =
    finalizers.length === (meta.finalizers?.length ?? 0) && finalizers.every((f) => meta.finalizers!.includes(f));
  if (finalizers.length > 0) meta.finalizers = finalizers;
  else delete meta.finalizers;

  const grace = strategy.gracePeriod?.(current, options);
  if (meta.deletionTimestamp) {
    const granted = meta.deletionGracePeriodSeconds ?? 0;
    if (grace !== undefined && grace < granted) {
      meta.deletionTimestamp = formatTime(Date.parse(meta.deletionTimestamp) - (granted - grace) * 1000);
      meta.deletionGracePeriodSeconds = grace;
      return object;
    }
    strategy.prepareForDelete?.(object, writeContext(scope, dryRun));
    const hasGrace = meta.deletionGracePeriodSeconds !== undefined;
    meta.deletionGracePeriodSeconds ??= 0;
    if (!sameFinalizers || !hasGrace || isFinished(scope, object)) return object;
    return 'already-marked';
  }
  meta.deletionTimestamp = formatTime(clock.now() + (grace ?? 0) * 1000);
  if (!strategy.deletionHeld) meta.deletionGracePeriodSeconds = grace ?? 0;
  if (meta.generation) meta.generation++;
  strategy.prepareForDelete?.(object, writeContext(scope, dryRun));
  return object;
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** The propagation policy becomes a finalizer that the garbage collector processes. */
function deletionFinalizers(
  fallback: Strategy['defaultPropagation'],
  finalizers: readonly string[],
  options: DeleteOptions,
): string[] {
  const { orphanDependents, propagationPolicy } = options;
  let policy: string;
  if (fallback === 'Unsupported') policy = 'Background';
  else if (propagationPolicy !== undefined) policy = propagationPolicy;
  else if (orphanDependents !== undefined) policy = orphanDependents ? 'Orphan' : 'Background';
  else if (finalizers.includes(ORPHAN)) policy = 'Orphan';
  else if (finalizers.includes(FOREGROUND)) policy = 'Foreground';
  else policy = fallback ?? 'Background';
  const wanted = policy === 'Orphan' ? ORPHAN : policy === 'Foreground' ? FOREGROUND : undefined;
  const kept = finalizers.filter((f) => f === wanted || (f !== ORPHAN && f !== FOREGROUND));
  return wanted && !kept.includes(wanted) ? [...kept, wanted] : kept;
}

function successStatus(scope: Scope, object: KubeObject): KubeObject {
  const { served, place } = scope;
  const status: Status = {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Success',
    details: {
      name: place.name,
      ...(served.group === '' ? {} : { group: served.group }),
      kind: served.plural,
      ...(object.metadata.uid ? { uid: object.metadata.uid } : {}),
    },
  };
  return status as unknown as KubeObject;
}
