/** Which pod goes first: those that use more than they asked for, of the lowest priority, by how much more. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { podRequests } from '../pod/pod-resources.ts';
import type { PodSummary } from '../server/stats/summary-types.ts';

export interface RankedPod {
  readonly pod: Pod;
  readonly summary: PodSummary | undefined;
}

export function usageOf(resource: string, summary: PodSummary | undefined): number {
  if (summary === undefined) return 0;
  switch (resource) {
    case 'memory':
      return summary.memory?.workingSetBytes ?? 0;
    case 'pids':
      return summary.process_stats?.process_count ?? 0;
    case 'inodes':
      return summary.containers.reduce((sum, { rootfs }) => sum + (rootfs?.inodesUsed ?? 0), 0) + (summary.volume ?? []).reduce((sum, { inodesUsed }) => sum + (inodesUsed ?? 0), 0);
    default:
      return summary['ephemeral-storage']?.usedBytes ?? 0;
  }
}

export function rankPods(pods: readonly RankedPod[], resource: string): RankedPod[] {
  const request = (pod: Pod): number => (resource === 'memory' || resource === 'ephemeral-storage' ? (podRequests(pod).get(resource)?.value() ?? 0) : 0);
  const over = ({ pod, summary }: RankedPod): number => usageOf(resource, summary) - request(pod);
  const hasStats = ({ summary }: RankedPod): number => (summary === undefined ? 0 : 1);
  return pods.toSorted((a, b) => {
    // What cannot be measured might be the cause, so it goes first, as upstream has it.
    if (hasStats(a) !== hasStats(b)) return hasStats(a) - hasStats(b);
    if (resource !== 'pids') {
      const exceeds = Number(over(b) > 0) - Number(over(a) > 0);
      if (exceeds !== 0) return exceeds;
    }
    const priority = (a.pod.spec?.priority ?? 0) - (b.pod.spec?.priority ?? 0);
    return priority !== 0 ? priority : over(b) - over(a);
  });
}
