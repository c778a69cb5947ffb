import { type Context, makeDirectorySync, untilAborted } from '../../kernel/index.ts';
import { defaultLimits } from '../check-request.ts';
import { DEFAULT_QUOTA_BYTES, openEmbeddedStore } from '../embedded/store.ts';
import type { ListenerTls } from '../front/listener.ts';
import { serveEtcd } from '../front/serve.ts';
import { type AutoCompaction, runAutoCompaction } from './auto-compaction.ts';

export interface EtcdConfig {
  name: string;
  directory: string;
  listenClientUrls: readonly string[];
  advertiseClientUrls?: readonly string[];
  tls?: ListenerTls;
  quotaBytes?: number;
  maxRequestBytes?: number;
  maxTxnOperations?: number;
  autoCompaction?: AutoCompaction;
  /** Called with the client URLs once the server listens. */
  onReady?(urls: readonly string[]): void;
}

/** The etcd component: an embedded store behind etcd's API, until the context's signal aborts. */
export async function run(ctx: Context, config: EtcdConfig): Promise<void> {
  makeDirectorySync(config.directory, { mode: 0o700 });
  const quotaBytes = config.quotaBytes ? config.quotaBytes : DEFAULT_QUOTA_BYTES;
  const maxRequestBytes = config.maxRequestBytes ?? defaultLimits.maxRequestBytes;
  const store = await openEmbeddedStore({
    directory: config.directory,
    clock: ctx.clock,
    logger: ctx.logger,
    name: config.name,
    quotaBytes,
    limits: { maxRequestBytes, maxTxnOperations: config.maxTxnOperations ?? defaultLimits.maxTxnOperations },
  });
  try {
    const front = await serveEtcd(ctx, {
      store,
      name: config.name,
      listenClientUrls: config.listenClientUrls,
      advertiseClientUrls: config.advertiseClientUrls,
      tls: config.tls,
      quotaBytes,
      maxRequestBytes,
      snapshotDirectory: config.directory,
    });
    config.onReady?.(front.urls);
    if (config.autoCompaction !== undefined) await runAutoCompaction(ctx, store, config.autoCompaction);
    await untilAborted(ctx.signal);
    await front.close();
  } finally {
    await store.close();
  }
}
