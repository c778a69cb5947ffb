/** In which order pods end when the machine goes down: in gracePeriods by priority, each with its own time. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';

export interface ShutdownGracePeriod {
  readonly priority: number;
  readonly seconds: number;
}

const SYSTEM_CRITICAL = 2_000_000_000;

/** None when no shutdown is to be waited for. */
export function shutdownGracePeriods({
  shutdownGracePeriodByPodPriority,
  shutdownGracePeriod,
  shutdownGracePeriodCriticalPods,
}: KubeletConfiguration): ShutdownGracePeriod[] {
  if (shutdownGracePeriodByPodPriority.length > 0) {
    return shutdownGracePeriodByPodPriority
      .map((entry) => ({
        priority: Number(entry['priority'] ?? 0),
        seconds: Number(entry['shutdownGracePeriodSeconds'] ?? 0),
      }))
      .toSorted((a, b) => a.priority - b.priority);
  }
  if (shutdownGracePeriod <= 0) return [];
  return [
    { priority: 0, seconds: (shutdownGracePeriod - shutdownGracePeriodCriticalPods) / 1000 },
    { priority: SYSTEM_CRITICAL, seconds: shutdownGracePeriodCriticalPods / 1000 },
  ];
}

/** The pods of each wave: a pod goes with the highest wave that is not above it, one that is below all with the lowest. */
export function groupByPriority(gracePeriods: readonly ShutdownGracePeriod[], pods: readonly Pod[]): Pod[][] {
  const groups: Pod[][] = gracePeriods.map(() => []);
  for (const pod of pods) {
    const fitting = gracePeriods.findLastIndex(({ priority }) => priority <= (pod.spec?.priority ?? 0));
    groups[Math.max(0, fitting)]?.push(pod);
  }
  return groups;
}
