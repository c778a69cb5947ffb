/** When a cluster can be used: its API answers, and what every namespace and pod needs is there. */
import type { Node } from '../api/generated/core-v1.ts';
import type { ApiServer } from '../apiserver/index.ts';
import type { Context } from '../kernel/index.ts';

/** Resolves once the ServiceAccount `default` exists in the namespace `default`; rejects when the context ends first. */
export function untilDefaultAccount(ctx: Context, apiServer: ApiServer): Promise<void> {
  const { cache } = apiServer.chain.backend.registry.require('', 'v1', 'serviceaccounts');
  return untilCached(ctx, {
    watch: (deliver) => cache.watch({ scope: 'default/default', deliver }),
    holds: () => cache.get('default', 'default') !== undefined,
  });
}

/** Resolves once each of the nodes is Ready and takes pods. */
export function untilNodesReady(ctx: Context, apiServer: ApiServer, names: readonly string[]): Promise<void> {
  const { cache } = apiServer.chain.backend.registry.require('', 'v1', 'nodes');
  const waiting = new Set(names);
  const holds = (): boolean => {
    for (const name of waiting) {
      if (!takesPods(cache.get('', name)?.object as Node | undefined)) return false;
      waiting.delete(name);
    }
    return true;
  };
  return untilCached(ctx, { watch: (deliver) => cache.watch({ scope: '', deliver }), holds });
}

function takesPods(node: Node | undefined): boolean {
  const ready = node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  return ready && !node?.spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready');
}

interface Wait {
  watch(deliver: () => void): () => void;
  holds(): boolean;
}

/** Looks again at every event, until it holds; rejects when the context ends first. */
function untilCached(ctx: Context, { watch, holds }: Wait): Promise<void> {
  if (ctx.signal.aborted) return Promise.reject(ctx.signal.reason as Error);
  if (holds()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stopped = (): void => {
      unwatch();
      reject(ctx.signal.reason as Error);
    };
    const unwatch = watch(() => {
      if (!holds()) return;
      ctx.signal.removeEventListener('abort', stopped);
      unwatch();
      resolve();
    });
    ctx.signal.addEventListener('abort', stopped, { once: true });
  });
}
