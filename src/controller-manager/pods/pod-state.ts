import type { Pod, PodCondition } from '../../api/generated/core-v1.ts';
import { parseTime } from '../../machinery/time/index.ts';

/** Its containers have ended and will not run again. */
export const isTerminal = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

/** Neither ended nor being deleted: it counts. */
export const isActive = (pod: Pod): boolean => !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;

/** Being deleted, and its containers may still run. */
export const isTerminating = (pod: Pod): boolean => !isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;

export const podCondition = (pod: Pod, type: string): PodCondition | undefined => pod.status?.conditions?.find((condition) => condition.type === type);

export const readyCondition = (pod: Pod): PodCondition | undefined => podCondition(pod, 'Ready');

export const isReady = (pod: Pod): boolean => readyCondition(pod)?.status === 'True';

/** Ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  return minReadySeconds === 0 || availableInMs(pod, minReadySeconds, now) === 0;
}

/** In how many milliseconds a pod becomes available; undefined for one that is not ready. */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = readyCondition(pod);
  if (ready?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  if (!ready.lastTransitionTime) return undefined;
  return Math.max(0, parseTime(ready.lastTransitionTime) + minReadySeconds * 1000 - now);
}
