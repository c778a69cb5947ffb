/** When a cluster is ready: the default ServiceAccount exists, and every node is Ready and schedulable. */
import type { Node } from '../api/generated/core-v1.ts';
import type { ApiObject, Client, ResourceClient, WatchOptions } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';

/** Resolves once the ServiceAccount `default` exists in the namespace `default`; rejects when the context ends first. */
export function untilDefaultAccount(ctx: Context, client: Client): Promise<void> {
  const options: WatchOptions = { namespace: 'default', fieldSelector: 'metadata.name=default' };
  return watchUntil(ctx, client.resource('v1/serviceaccounts'), options, () => true);
}

/** Resolves once each of the nodes has been Ready without the not-ready taint; rejects when the context ends first. */
export async function untilNodesReady(ctx: Context, client: Client, names: readonly string[]): Promise<void> {
  const waiting = new Set(names);
  if (waiting.size === 0) return;
  await watchUntil(ctx, client.resource('v1/nodes'), {}, (node) => {
    if (isReady(node)) waiting.delete(node.metadata.name ?? '');
    return waiting.size === 0;
  });
}

function isReady(node: Node): boolean {
  const ready = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  return ready && !node.spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready');
}

/** Watches, beginning with all objects there are, until `isEnough` accepts one. */
async function watchUntil<T extends ApiObject>(
  { signal }: Context,
  resource: ResourceClient<T>,
  options: WatchOptions,
  isEnough: (object: T) => boolean,
): Promise<void> {
  const initialEvents: WatchOptions = {
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: true,
  };
  for (;;) {
    signal.throwIfAborted();
    for await (const { type, object } of resource.watch({ ...options, ...initialEvents, signal })) {
      if (type !== 'DELETED' && type !== 'BOOKMARK' && isEnough(object)) return;
    }
  }
}
