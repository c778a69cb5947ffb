/** When a cluster can be used: its API answers, and what every namespace needs before a pod can be made is there. */
import type { ApiServer } from '../apiserver/index.ts';
import type { Context } from '../kernel/index.ts';

/** Resolves once the ServiceAccount `default` exists in the namespace `default`; rejects when the context ends first. */
export function untilDefaultAccount(ctx: Context, apiServer: ApiServer): Promise<void> {
  const { cache } = apiServer.door.backend.registry.require('', 'v1', 'serviceaccounts');
  return new Promise((resolve, reject) => {
    const stopped = (): void => {
      unwatch();
      reject(ctx.signal.reason as Error);
    };
    const unwatch = cache.watch({
      scope: 'default/default',
      deliver() {
        ctx.signal.removeEventListener('abort', stopped);
        unwatch();
        resolve();
      },
    });
    if (cache.get('default', 'default')) {
      unwatch();
      resolve();
    } else ctx.signal.addEventListener('abort', stopped, { once: true });
  });
}
