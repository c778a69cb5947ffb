/** The state of a pod: terminal, active, terminating, ready, available. */
import type { Pod, PodCondition } from '../api/generated/core-v1.ts';
import { parseTime } from '../base/index.ts';

/** The containers have ended and will not run again. */
export const isTerminalPhase = (phase: string | undefined): phase is 'Succeeded' | 'Failed' =>
  phase === 'Succeeded' || phase === 'Failed';

export const isPodTerminal = ({ status }: Pick<Pod, 'status'>): boolean => isTerminalPhase(status?.phase);

/** Neither terminal nor being deleted. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;

/** Being deleted, while its containers may still run. */
export const isPodTerminating = (pod: Pod): boolean =>
  !isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;

export const podCondition = ({ status }: Pick<Pod, 'status'>, type: string): PodCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

export const podReadyCondition = (pod: Pick<Pod, 'status'>): PodCondition | undefined => podCondition(pod, 'Ready');

export const isPodReady = (pod: Pick<Pod, 'status'>): boolean => podReadyCondition(pod)?.status === 'True';

/** Ready for at least `minReadySeconds`. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isPodReady(pod)) return false;
  return minReadySeconds === 0 || availableInMs(pod, minReadySeconds, now) === 0;
}

/** In how many milliseconds a pod becomes available; undefined for one that is not ready. */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = podReadyCondition(pod);
  if (ready?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  if (!ready.lastTransitionTime) return undefined;
  return Math.max(0, parseTime(ready.lastTransitionTime) + minReadySeconds * 1000 - now);
}
