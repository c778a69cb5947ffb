/** Metrics about the server itself, under upstream's names. */
import { registerComponentMetrics } from '../../component-server/index.ts';
import type { Store } from '../../etcd/index.ts';
import type { Context } from '../../kernel/index.ts';

export function registerServerMetrics(
  ctx: Pick<Context, 'metrics' | 'clock'>,
  version: Parameters<typeof registerComponentMetrics>[1],
): void {
  registerComponentMetrics(ctx, version);
  const { metrics } = ctx;
  // A server without an audit policy sends no events; no request is rejected because auditing fails.
  metrics.counter({ name: 'apiserver_audit_event_total', help: 'Counter of audit events sent to the backends.' });
  metrics.counter({
    name: 'apiserver_audit_requests_rejected_total',
    help: 'Counter of requests that were rejected because they could not be audited.',
  });
}

export const STORAGE_SIZE = 'apiserver_storage_size_bytes';

/** The size of the store is asked for when the metrics are read. */
export function storageSizeReader({ metrics }: Pick<Context, 'metrics'>, store: Store): () => Promise<void> {
  const size = metrics.gauge({
    name: STORAGE_SIZE,
    help: 'Size of the database file of the store.',
    labels: ['storage_cluster_id'],
  });
  const labels = { storage_cluster_id: 'etcd-0' };
  return async () => {
    try {
      size.set((await store.status()).dbSize, labels);
    } catch {
      // A store that does not answer has no size; the other metrics tell why.
      size.remove(labels);
    }
  };
}
