/** Opens the configured store: memory, a local directory, or an etcd cluster. */
import {
  createEtcdStore,
  createMemoryStore,
  openEmbeddedStore,
  prefixedStore,
  type EtcdTls,
  type Store,
} from '../../etcd/index.ts';
import type { Context } from '../../kernel/index.ts';
import { REGISTRY } from './keys.ts';

export type StoreConfig =
  | { readonly type: 'memory' }
  | { readonly type: 'embedded'; readonly directory: string }
  | {
      readonly type: 'etcd';
      readonly endpoints: readonly string[];
      readonly tls?: EtcdTls;
      /** Of the keys in etcd; default `/registry/`. */
      readonly prefix?: string;
    };

export async function openStore(ctx: Context, config: StoreConfig): Promise<Store> {
  switch (config.type) {
    case 'memory':
      return createMemoryStore({ clock: ctx.clock });
    case 'embedded':
      return openEmbeddedStore({ directory: config.directory, clock: ctx.clock, logger: ctx.logger });
    case 'etcd':
      return prefixedStore(
        createEtcdStore({
          endpoints: config.endpoints,
          clock: ctx.clock,
          ...(config.tls ? { tls: config.tls } : {}),
        }),
        { from: REGISTRY, to: config.prefix ?? REGISTRY },
      );
  }
}

/** The prefix of --etcd-prefix: between slashes, however many the flag has. */
export const etcdPrefix = (flag: string): string => {
  const parts = flag.split('/').filter((part) => part !== '');
  return parts.length === 0 ? '/' : `/${parts.join('/')}/`;
};
