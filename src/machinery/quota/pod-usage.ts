/** What a pod uses of a quota: itself, and what its containers ask for together. */
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { parseQuantity, Quantity } from '../quantity/index.ts';
import { parseTime } from '../time/index.ts';
import type { Usage } from './usage.ts';

type ResourceList = Readonly<Record<string, string>> | undefined;

/** A pod that has finished, or should be gone for longer than its grace period, uses nothing but its place in the store. */
export function isCountedPod(pod: Pod, now: number): boolean {
  const { phase } = pod.status ?? {};
  if (phase === 'Failed' || phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

export function podUsage(pod: Pod, now: number): Usage {
  const usage: Usage = new Map([['count/pods', Quantity.of(1)]]);
  if (!isCountedPod(pod, now)) return usage;
  usage.set('pods', Quantity.of(1));
  for (const [name, quantity] of podTotal(pod, 'requests')) {
    if (isPlainName(name)) usage.set(name, quantity);
    usage.set(`requests.${name}`, quantity);
  }
  for (const [name, quantity] of podTotal(pod, 'limits')) if (isLimitedName(name)) usage.set(`limits.${name}`, quantity);
  return usage;
}

const isPlainName = (name: string): boolean => name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');
const isLimitedName = (name: string): boolean => name === 'cpu' || name === 'memory' || name === 'ephemeral-storage';

/** All containers and sidecars together, or an init container with the sidecars before it if that is more; and the overhead. */
function podTotal(pod: Pod, field: 'requests' | 'limits'): Usage {
  const { containers = [], initContainers = [], overhead, resources } = pod.spec ?? {};
  const statuses = new Map((pod.status?.containerStatuses ?? []).map((status) => [status.name, status]));
  const of = (container: Container): Usage => {
    const running = statuses.get(container.name);
    return largest([toUsage(container.resources?.[field]), toUsage(running?.resources?.[field]), toUsage(field === 'requests' ? running?.allocatedResources : undefined)]);
  };
  let total: Usage = new Map();
  for (const container of containers) total = sum(total, of(container));
  let sidecars: Usage = new Map();
  let starting: Usage = new Map();
  for (const container of initContainers) {
    if (container.restartPolicy === 'Always') {
      sidecars = sum(sidecars, of(container));
      starting = largest([starting, sidecars]);
    } else starting = largest([starting, sum(sidecars, of(container))]);
  }
  total = largest([sum(total, sidecars), starting]);
  for (const [name, quantity] of toUsage(resources?.[field])) total.set(name, quantity);
  for (const [name, quantity] of toUsage(overhead)) {
    const asked = total.get(name);
    if (field === 'requests') total.set(name, asked ? asked.add(quantity) : quantity);
    else if (asked && !asked.isZero()) total.set(name, asked.add(quantity));
  }
  return total;
}

const toUsage = (list: ResourceList): Usage => new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));

function sum(a: Usage, b: Usage): Usage {
  const total = new Map(a);
  for (const [name, quantity] of b) total.set(name, total.get(name)?.add(quantity) ?? quantity);
  return total;
}

function largest(lists: readonly Usage[]): Usage {
  const result: Usage = new Map();
  for (const list of lists) {
    for (const [name, quantity] of list) {
      const known = result.get(name);
      if (!known || known.cmp(quantity) < 0) result.set(name, quantity);
    }
  }
  return result;
}
