/** The status of a PodDisruptionBudget. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { Condition } from '../../api/generated/meta-v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/generated/policy-v1.ts';
import { formatTime, ownValue, parseTime } from '../../base/index.ts';
import { isPodReady } from '../../component-helpers/index.ts';
import type { ExpectedPods } from './expected-pods.ts';

/** A pod whose eviction was granted but that is not deleted by then counts as healthy again. */
export const DELETION_TIMEOUT_MS = 120_000;

const DISRUPTION_ALLOWED = 'DisruptionAllowed';

interface Disrupted {
  readonly pods: Record<string, string>;
  /** Pods whose eviction was granted, and that still exist after the timeout. */
  readonly overdue: readonly Pod[];
  readonly recheckInMs: number | undefined;
}

/** The pods whose eviction was granted and that are not being deleted yet. */
export function disruptedPods({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number): Disrupted {
  const disrupted: Record<string, string> = {};
  const overdue: Pod[] = [];
  const waits: number[] = [];
  for (const pod of pods) {
    const since = ownValue(status?.disruptedPods, pod.metadata.name ?? '');
    if (!since || pod.metadata.deletionTimestamp !== undefined) continue;
    const left = parseTime(since) + DELETION_TIMEOUT_MS - now;
    if (left < 0) overdue.push(pod);
    else {
      disrupted[pod.metadata.name ?? ''] = since;
      waits.push(left);
    }
  }
  return { pods: disrupted, overdue, recheckInMs: waits.length > 0 ? Math.min(...waits) : undefined };
}

export function budgetStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  { expected, desiredHealthy }: ExpectedPods,
  disrupted: Record<string, string>,
  now: number,
): PodDisruptionBudgetStatus {
  const currentHealthy = pods.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined && !Object.hasOwn(disrupted, pod.metadata.name!) && isPodReady(pod),
  ).length;
  const disruptionsAllowed = expected > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const allowed = disruptionsAllowed > 0;
  const observedGeneration = budget.metadata.generation;
  return {
    ...(observedGeneration ? { observedGeneration } : {}),
    ...(Object.keys(disrupted).length > 0 ? { disruptedPods: disrupted } : {}),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods: expected,
    conditions: withAllowed(
      budget,
      { status: allowed ? 'True' : 'False', reason: allowed ? 'SufficientPods' : 'InsufficientPods', message: '' },
      now,
    ),
  };
}

/** When the expected number of pods is unknown, no disruptions are allowed. */
export function failedStatus(budget: PodDisruptionBudget, message: string, now: number): PodDisruptionBudgetStatus {
  return {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...budget.status,
    disruptionsAllowed: 0,
    conditions: withAllowed(budget, { status: 'False', reason: 'SyncFailed', message }, now),
  };
}

function withAllowed(
  { status, metadata }: PodDisruptionBudget,
  next: Pick<Condition, 'status' | 'reason' | 'message'>,
  now: number,
): Condition[] {
  const current = status?.conditions?.find((condition) => condition.type === DISRUPTION_ALLOWED);
  const lastTransitionTime = current?.status === next.status ? current.lastTransitionTime : formatTime(now);
  const condition: Condition = {
    type: DISRUPTION_ALLOWED,
    ...next,
    observedGeneration: metadata.generation,
    lastTransitionTime,
  };
  const others = (status?.conditions ?? []).filter((other) => other !== current);
  return current
    ? (status?.conditions ?? []).map((other) => (other === current ? condition : other))
    : [...others, condition];
}
