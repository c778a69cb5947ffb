/** The quota usage of a pod: its count, and the requests and limits of its containers. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseTime, Quantity } from '../../base/index.ts';
import { isPodTerminal, podLimits, podRequests } from '../../component-helpers/index.ts';

/** Amounts by the names that quotas limit, such as `requests.cpu`. */
export type Usage = Map<string, Quantity>;

/** A terminal pod, or one that is past its deletion grace period, counts only as a stored object. */
export function isCountedPod(pod: Pod, now: number): boolean {
  if (isPodTerminal(pod)) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

export function podUsage(pod: Pod, now: number): Usage {
  const usage: Usage = new Map([['count/pods', Quantity.of(1)]]);
  if (!isCountedPod(pod, now)) return usage;
  usage.set('pods', Quantity.of(1));
  const counted = { status: pod.status, withOverhead: true };
  for (const [name, quantity] of podRequests(pod.spec ?? { containers: [] }, counted)) {
    if (isPlainName(name)) usage.set(name, quantity);
    usage.set(`requests.${name}`, quantity);
  }
  for (const [name, quantity] of podLimits(pod.spec ?? { containers: [] }, counted))
    if (isLimitedName(name)) usage.set(`limits.${name}`, quantity);
  return usage;
}

const isPlainName = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');
const isLimitedName = (name: string): boolean => name === 'cpu' || name === 'memory' || name === 'ephemeral-storage';
