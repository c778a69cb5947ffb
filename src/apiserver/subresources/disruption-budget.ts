/** Disruption budgets: evictions decrement disruptionsAllowed, the disruption controller sets it again. */
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import { cloneJson, formatTime } from '../../base/index.ts';
import { forbidden, type StatusError, timeout, tooManyRequests } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Entry } from '../storage/entry.ts';
import type { Scope } from '../verbs/scope.ts';

/** With more evictions than this pending, the disruption controller cannot be keeping up. */
const MAX_UNCONFIRMED = 2000;
const MAX_ATTEMPTS = 20;
const REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget.";
const BUDGETS = { group: 'policy', resource: 'poddisruptionbudget' };

export function budgetIsBusy(name: string): StatusError {
  return refusal(`The disruption budget ${name} is still being processed by the server.`, 10);
}

function refusal(message: string, retryAfterSeconds: number): StatusError {
  const error = tooManyRequests(REFUSAL, retryAfterSeconds);
  error.status.details = {
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
    causes: [{ reason: 'DisruptionBudget', message }],
  };
  return error;
}

/** Uses up one allowed disruption for the scope's pod, or fails with the reason. */
export async function takeDisruption(scope: Scope, first: Entry, dryRun: boolean): Promise<void> {
  const { objects, registry, ctx } = scope.backend;
  const served = registry.require('policy', 'v1', 'poddisruptionbudgets');
  const place = { namespace: first.namespace, name: first.name };
  let current = first;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) current = await objects.fresh(served, place);
    const budget = cloneJson(current.object) as PodDisruptionBudget & KubeObject;
    checkAllowed(budget);
    if (dryRun) return;
    const status = budget.status!;
    status.disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
    status.disruptedPods = { ...status.disruptedPods, [scope.place.name]: formatTime(ctx.clock.now()) };
    if (status.disruptionsAllowed === 0) markExhausted(budget, formatTime(ctx.clock.now()));
    if (await objects.replace(served, place, current, budget, false, undefined, scope.span)) return;
  }
  throw timeout(`couldn't update PodDisruptionBudget "${first.name}" due to conflicts`, 10);
}

function checkAllowed({ metadata, status }: PodDisruptionBudget): void {
  const name = metadata.name ?? '';
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw budgetIsBusy(name);
  const allowed = status?.disruptionsAllowed ?? 0;
  if (allowed < 0) throw forbidden(BUDGETS, name, 'pdb disruptions allowed is negative');
  if (Object.keys(status?.disruptedPods ?? {}).length > MAX_UNCONFIRMED) {
    throw forbidden(BUDGETS, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (allowed > 0) return;
  const { desiredHealthy: needed = 0, currentHealthy: healthy = 0 } = status ?? {};
  // Enough pods may be healthy although no disruption is allowed: the controller cannot determine the expected count.
  throw refusal(
    healthy > needed
      ? `The disruption budget ${name} does not allow evicting pods currently`
      : `The disruption budget ${name} needs ${needed} healthy pods and has ${healthy} currently`,
    0,
  );
}

/** Sets the DisruptionAllowed condition to False. */
function markExhausted({ metadata, status }: PodDisruptionBudget, now: string): void {
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    lastTransitionTime: now,
    ...(metadata.generation ? { observedGeneration: status?.observedGeneration ?? metadata.generation } : {}),
  };
  const conditions = (status!.conditions ??= []);
  const at = conditions.findIndex((c) => c.type === condition.type);
  if (at < 0) conditions.push(condition);
  else
    conditions[at] = {
      ...condition,
      lastTransitionTime: conditions[at]!.status === 'False' ? conditions[at]!.lastTransitionTime : now,
    };
}
