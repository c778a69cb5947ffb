/** Eviction: a deletion that respects the pod's disruption budget. */
import type { Pod, PodCondition } from '../../api/generated/core-v1.ts';
import type { DeleteOptions } from '../../api/generated/meta-v1.ts';
import type { Eviction, PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import { schema } from '../../api/index.ts';
import { cloneJson, deepEqual, errorMessage, formatTime, isRecord } from '../../base/index.ts';
import { canonicalize, conform, parseJson } from '../../machinery/decode/index.ts';
import { badRequest, conflict, failure, isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { labelSelectorAsSelector } from '../../machinery/selectors/index.ts';
import { attributesOf } from '../admission/attributes.ts';
import { checkDeleteOptions, optionsObject, writeOptions, type WriteOptions } from '../request/options.ts';
import { headerOf, type Result } from '../request/request.ts';
import type { Entry } from '../storage/entry.ts';
import { checkNamespace } from '../verbs/create.ts';
import { bodyFormat, decodeBody } from '../verbs/decode-body.ts';
import { checkPreconditions, deleteObject } from '../verbs/delete.ts';
import type { Scope } from '../verbs/scope.ts';
import { MODIFIED } from '../verbs/update-object.ts';
import { budgetIsBusy, takeDisruption } from './disruption-budget.ts';
import { done } from './success.ts';

type EvictionObject = Eviction & KubeObject;

const MESSAGE = schema.message('io.k8s.api.policy.v1.Eviction');
const EVICTION = { group: 'policy', version: 'v1', kind: 'Eviction', message: MESSAGE };
const CONDITION = schema.message('io.k8s.api.core.v1.PodCondition');
const MAX_ATTEMPTS = 20;

export async function evictPod(scope: Scope): Promise<Result> {
  const options = writeOptions('CreateOptions', scope.request.query);
  const eviction = await readEviction(scope, options);
  checkNamespace(scope, eviction);
  const { place, backend } = scope;
  if (eviction.metadata.name !== place.name) throw badRequest('name in URL does not match name in Eviction object');
  const deletion = deletionOf(eviction, options);
  const attributes = attributesOf(scope, {
    operation: 'CREATE',
    object: eviction,
    name: place.name,
    options: optionsObject(options),
    dryRun: options.dryRun,
    kind: EVICTION,
  });
  await backend.admission.admit(attributes);
  await backend.admission.validate(attributes);
  checkDeleteOptions(deletion);
  await evict({ ...scope, subresource: '' }, deletion);
  return done(201);
}

/** policy/v1beta1 is no longer served, but evictions of old clients are still accepted. */
async function readEviction(scope: Scope, options: WriteOptions): Promise<EvictionObject> {
  const { request } = scope;
  if (!request.object && bodyFormat(headerOf(request, 'content-type')) === 'json') {
    const body = await request.readBody();
    const { value } = body.includes('policy/v1beta1') ? parseJson(body) : { value: undefined };
    if (isRecord(value) && value['apiVersion'] === 'policy/v1beta1' && value['kind'] === 'Eviction') {
      const object = conformed({ ...value, apiVersion: 'policy/v1' });
      return { ...object, kind: 'Eviction', apiVersion: 'policy/v1', metadata: object.metadata ?? {} };
    }
  }
  return (await decodeBody(scope, { fieldValidation: options.fieldValidation, expected: EVICTION })) as EvictionObject;
}

function conformed(value: object): EvictionObject {
  try {
    return conform(MESSAGE, value).object as unknown as EvictionObject;
  } catch (error) {
    throw badRequest(`Eviction in version "v1beta1" cannot be handled as a Eviction: ${errorMessage(error)}`);
  }
}

function deletionOf({ deleteOptions }: EvictionObject, { dryRun }: WriteOptions): DeleteOptions {
  const { apiVersion: _, kind: __, ...given } = (deleteOptions ?? {}) as DeleteOptions;
  const queried = dryRun ? ['All'] : [];
  if ((given.dryRun?.length ?? 0) === 0) return dryRun ? { ...given, dryRun: queried } : given;
  if (dryRun && !deepEqual(given.dryRun, queried)) {
    throw failure(
      500,
      '',
      `Non-matching dry-run options in request and content: [${queried.join(' ')}] and [${given.dryRun!.join(' ')}]`,
    );
  }
  return given;
}

async function evict(scope: Scope, deletion: DeleteOptions): Promise<void> {
  const { objects } = scope.backend;
  const pinned = deletion.preconditions?.resourceVersion !== undefined;
  for (let attempt = 1; ; attempt++) {
    const current = await objects.get(scope.served, scope.place);
    const pod = current.object as Pod & KubeObject;
    if (!needsNoBudget(pod)) return evictWithinBudget(scope, current, deletion);
    // A pending pod may become ready meanwhile; then the budget applies.
    const guarded = !pinned && pod.status?.phase === 'Pending' && !pod.metadata.deletionTimestamp;
    try {
      await markAndDelete(scope, guarded ? atRevision(deletion, current) : deletion);
      return;
    } catch (error) {
      if (pinned || !isStatusError(error, 'Conflict') || attempt === MAX_ATTEMPTS) throw error;
      if (!guarded) throw error;
    }
  }
}

/** Evicting a pod that does not run disrupts nothing. */
function needsNoBudget(pod: Pod): boolean {
  return (
    ['Succeeded', 'Failed', 'Pending'].includes(pod.status?.phase ?? '') || pod.metadata.deletionTimestamp !== undefined
  );
}

const atRevision = (deletion: DeleteOptions, current: Entry): DeleteOptions => ({
  ...deletion,
  preconditions: { ...deletion.preconditions, resourceVersion: String(current.revision) },
});

/** Sets the condition DisruptionTarget, then deletes the pod. Admission has seen the eviction, and does not see these. */
async function markAndDelete(scope: Scope, deletion: DeleteOptions): Promise<void> {
  if ((deletion.dryRun?.length ?? 0) > 0) {
    await deleteObject(scope, deletion, { admitted: true });
    return;
  }
  const marked = await setDisruptionTarget(scope, deletion);
  const pinned = deletion.preconditions?.resourceVersion !== undefined;
  await deleteObject(scope, pinned ? atRevision(deletion, marked) : deletion, { admitted: true });
}

async function setDisruptionTarget(scope: Scope, deletion: DeleteOptions): Promise<Entry> {
  const { objects, ctx } = scope.backend;
  const { served, place } = scope;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const current = attempt === 0 ? await objects.get(served, place) : await objects.fresh(served, place);
    checkPreconditions(scope, deletion, current);
    const pod = cloneJson(current.object) as Pod & KubeObject;
    const conditions = ((pod.status ??= {}).conditions ??= []);
    const at = conditions.findIndex(({ type }) => type === 'DisruptionTarget');
    const before = conditions[at];
    const since = before?.status === 'True' ? before.lastTransitionTime : undefined;
    const condition = canonicalize(CONDITION, {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
      lastTransitionTime: since ?? formatTime(ctx.clock.now()),
    }) as unknown as PodCondition;
    if (before) conditions[at] = condition;
    else conditions.push(condition);
    const entry = await objects.replace(served, place, current, pod, false, undefined, scope.span);
    if (entry) return entry;
  }
  throw conflict(served.groupResource, place.name, MODIFIED);
}

async function evictWithinBudget(scope: Scope, current: Entry, deletion: DeleteOptions): Promise<void> {
  const pod = current.object as Pod & KubeObject;
  const budgets = budgetsOf(scope, pod);
  if (budgets.length > 1) {
    throw failure(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  const free = budget !== undefined && isFreeToGo(pod, budget.object as PodDisruptionBudget & KubeObject);
  if (budget && !free) await takeDisruption(scope, budget, (deletion.dryRun?.length ?? 0) > 0);
  try {
    await markAndDelete(scope, free ? atRevision(deletion, current) : deletion);
  } catch (error) {
    const ours = free && deletion.preconditions?.resourceVersion === undefined && isStatusError(error, 'Conflict');
    throw ours ? budgetIsBusy(budget.name) : error;
  }
}

/**
 * A pod that is not ready does not count as healthy: whether it may be evicted depends on the budget's policy and on
 * the other pods.
 */
function isFreeToGo(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  const ready = pod.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  if (ready) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const desired = status?.desiredHealthy ?? 0;
  return desired > 0 && (status?.currentHealthy ?? 0) >= desired;
}

function budgetsOf(scope: Scope, pod: Pod): Entry[] {
  const { cache } = scope.backend.registry.require('policy', 'v1', 'poddisruptionbudgets');
  return cache.list(scope.place.namespace).filter(({ object }) => {
    const { spec } = object as PodDisruptionBudget & KubeObject;
    if (!spec?.selector) return false;
    const selector = labelSelectorAsSelector(spec.selector);
    return !selector.isEmpty && selector.matches(pod.metadata.labels ?? {});
  });
}
