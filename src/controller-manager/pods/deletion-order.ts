/** The order in which surplus pods are deleted. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseTime } from '../../base/index.ts';
import { isPodReady, podReadyCondition } from '../../component-helpers/index.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASE_ORDER: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({ Pending: 0, Unknown: 1, Running: 2 }),
);

interface RankedPod {
  readonly pod: Pod;
  /** The number of related pods on its node: of two equal pods, the one on the fuller node is deleted. */
  readonly rank: number;
}

/**
 * The order in which surplus pods are deleted, as upstream's ActivePodsWithRanks: unassigned, pending and unready pods
 * first, lower deletion cost, fuller nodes, and younger pods, where ages are compared by powers of two.
 */
export function comparePodsForDeletion(a: RankedPod, b: RankedPod, now: number): number {
  const assigned = Number(hasNode(a.pod)) - Number(hasNode(b.pod));
  if (assigned !== 0) return assigned;
  const phase = phaseOrder(a.pod) - phaseOrder(b.pod);
  if (phase !== 0) return phase;
  const ready = Number(isPodReady(a.pod)) - Number(isPodReady(b.pod));
  if (ready !== 0) return ready;
  const cost = deletionCost(a.pod) - deletionCost(b.pod);
  if (cost !== 0) return cost;
  if (a.rank !== b.rank) return b.rank - a.rank;
  if (isPodReady(a.pod) && isPodReady(b.pod)) {
    const readySince = compareAges(
      podReadyCondition(a.pod)?.lastTransitionTime,
      podReadyCondition(b.pod)?.lastTransitionTime,
      a.pod,
      b.pod,
      now,
    );
    if (readySince !== 0) return readySince;
  }
  const restarts = maxRestarts(b.pod) - maxRestarts(a.pod);
  if (restarts !== 0) return restarts;
  return compareAges(a.pod.metadata.creationTimestamp, b.pod.metadata.creationTimestamp, a.pod, b.pod, now);
}

const hasNode = (pod: Pod): boolean => (pod.spec?.nodeName ?? '') !== '';
const phaseOrder = (pod: Pod): number => PHASE_ORDER.get(pod.status?.phase ?? '') ?? 0;

function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[DELETION_COST] ?? '';
  return /^-?\d+$/.test(text) ? Number(text) : 0;
}

function maxRestarts(pod: Pod): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount ?? 0));
}

/** Younger first, by the power of two of their age. */
function compareAges(a: string | undefined, b: string | undefined, podA: Pod, podB: Pod, now: number): number {
  if (a === b) return 0;
  const difference = magnitude(a, now) - magnitude(b, now);
  if (difference !== 0) return difference;
  return (podA.metadata.uid ?? '') < (podB.metadata.uid ?? '') ? -1 : 1;
}

function magnitude(since: string | undefined, now: number): number {
  const nanoseconds = !since ? 0 : (now - parseTime(since)) * 1e6;
  return nanoseconds > 0 ? Math.trunc(Math.log2(nanoseconds)) : -1;
}
