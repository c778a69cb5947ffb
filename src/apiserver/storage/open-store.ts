/** Opens the configured store: memory, a local directory, or an etcd cluster. */
import { createEtcdStore, createMemoryStore, openEmbeddedStore, type EtcdTls, type Store } from '../../etcd/index.ts';
import type { Context } from '../../kernel/index.ts';

export type StoreConfig =
  | { readonly type: 'memory' }
  | { readonly type: 'embedded'; readonly directory: string }
  | { readonly type: 'etcd'; readonly endpoints: readonly string[]; readonly tls?: EtcdTls };

export async function openStore(ctx: Context, config: StoreConfig): Promise<Store> {
  switch (config.type) {
    case 'memory':
      return createMemoryStore({ clock: ctx.clock });
    case 'embedded':
      return openEmbeddedStore({ directory: config.directory, clock: ctx.clock, logger: ctx.logger });
    case 'etcd':
      return createEtcdStore({
        endpoints: config.endpoints,
        clock: ctx.clock,
        ...(config.tls ? { tls: config.tls } : {}),
      });
  }
}
