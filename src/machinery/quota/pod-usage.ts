/** What a pod uses of a quota: itself, and what its containers ask for together. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseTime, Quantity } from '../../base/index.ts';
import { isPodTerminal, podLimits, podRequests } from '../../component-helpers/index.ts';
import type { Usage } from './usage.ts';

/** A pod that has finished, or should be gone for longer than its grace period, uses nothing but its place in the store. */
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
