/**
 * Ranks pods for eviction: first those that use more than their requests, then by priority, then by usage above
 * requests.
 */
import type { Pod } from '../../api/generated/core-v1.ts';
import { allocatedRequests } from '../pod/pod-resources.ts';
import type { FsStats, PodSummary } from '../server/stats/summary-types.ts';
import type { FsStatsType } from './disk-layout.ts';

interface RankedPod {
  readonly pod: Pod;
  readonly summary: PodSummary | undefined;
}

function usageOf(
  resource: string,
  { pod, summary }: RankedPod,
  fsStats: readonly FsStatsType[] = ['root', 'logs', 'local-volumes'],
): number {
  if (summary === undefined) return 0;
  if (resource === 'memory') return summary.memory?.workingSetBytes ?? 0;
  if (resource === 'pids') return summary.process_stats?.process_count ?? 0;
  const measure = (stats: FsStats | undefined): number =>
    (resource === 'inodes' ? stats?.inodesUsed : stats?.usedBytes) ?? 0;
  const total = (list: readonly (FsStats | undefined)[]): number => list.reduce((sum, one) => sum + measure(one), 0);
  const notOnDisk = new Set(
    (pod.spec?.volumes ?? [])
      .filter(({ emptyDir, csi }) => emptyDir?.medium === 'Memory' || csi !== undefined)
      .map(({ name }) => name),
  );
  const local = (summary.volume ?? []).filter(({ pvcRef, name }) => pvcRef === undefined && !notOnDisk.has(name));
  return (
    (fsStats.includes('root') ? total(summary.containers.map(({ rootfs }) => rootfs)) : 0) +
    (fsStats.includes('logs') ? total(summary.containers.map(({ logs }) => logs)) : 0) +
    (fsStats.includes('local-volumes') ? total(local) : 0)
  );
}

export function rankPods(pods: readonly RankedPod[], resource: string, fsStats?: readonly FsStatsType[]): RankedPod[] {
  const request = (pod: Pod): number =>
    resource === 'memory' || resource === 'ephemeral-storage'
      ? (allocatedRequests(pod).get(resource)?.value() ?? 0)
      : 0;
  const over = (one: RankedPod): number => usageOf(resource, one, fsStats) - request(one.pod);
  const hasStats = ({ summary }: RankedPod): number => (summary === undefined ? 0 : 1);
  return pods.toSorted((a, b) => {
    // Pods without stats come first, as upstream: they might be the cause.
    if (hasStats(a) !== hasStats(b)) return hasStats(a) - hasStats(b);
    if (resource !== 'pids') {
      const exceeds = Number(over(b) > 0) - Number(over(a) > 0);
      if (exceeds !== 0) return exceeds;
    }
    const priority = (a.pod.spec?.priority ?? 0) - (b.pod.spec?.priority ?? 0);
    return priority !== 0 ? priority : over(b) - over(a);
  });
}
