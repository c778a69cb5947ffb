/** Cordons a node and evicts its pods. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { isNotFound, isTooManyRequests, type Client } from '../../client/index.ts';
import type { Context } from '../../kernel/index.ts';

const POLL_MS = 200;

/** Evicts the node's pods, as `kubectl drain --ignore-daemonsets --delete-emptydir-data` does. */
export async function drainNode(
  { clock, signal }: Context,
  client: Client,
  { node, limitMs }: { readonly node: string; readonly limitMs: number },
): Promise<void> {
  const pods = client.resource('v1/pods');
  await cordonNode(client, node, true);
  const end = clock.monotonic() + limitMs;
  const evicted = new Set<string>();
  for (;;) {
    const { items } = await pods.list({ fieldSelector: `spec.nodeName=${node}` });
    const left = items.filter(isDrained);
    if (left.length === 0) return;
    for (const pod of left)
      if (!evicted.has(pod.metadata.uid ?? '') && (await evict(client, pod))) evicted.add(pod.metadata.uid ?? '');
    if (clock.monotonic() > end)
      throw new Error(
        `after ${limitMs / 1000} s there are still ${left.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ')}`,
      );
    await clock.sleep(POLL_MS, signal);
  }
}

/** Pods of DaemonSets would come back, and mirror pods are the node's own. */
const isDrained = ({ metadata }: Pod): boolean =>
  metadata.annotations?.['kubernetes.io/config.mirror'] === undefined &&
  !metadata.ownerReferences?.some(({ kind, controller }) => kind === 'DaemonSet' && controller);

/** False while a PodDisruptionBudget refuses. */
async function evict(client: Client, { metadata }: Pod): Promise<boolean> {
  const reference = { name: metadata.name!, namespace: metadata.namespace! };
  try {
    await client
      .resource('v1/pods')
      .subresource(reference, 'eviction')
      .create({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { ...reference } } as never);
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isTooManyRequests(error)) return false;
    throw error;
  }
}

/** Whether new pods may be scheduled to the node. */
export async function cordonNode(client: Client, node: string, unschedulable: boolean): Promise<void> {
  await client.resource('v1/nodes').patch({ name: node }, { spec: { unschedulable } }, { type: 'merge' });
}
