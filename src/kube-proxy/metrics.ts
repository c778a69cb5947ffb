/** kube-proxy's metrics, under upstream's names. */
import { exponentialBuckets, type Counter, type Gauge, type Histogram, type MetricsRegistry } from '../kernel/index.ts';

export interface ProxyMetrics {
  readonly syncDuration: Histogram;
  readonly lastSync: Gauge;
  readonly failures: Counter;
}

export function proxyMetrics(registry: MetricsRegistry): ProxyMetrics {
  return {
    syncDuration: registry.histogram({
      name: 'kubeproxy_sync_proxy_rules_duration_seconds',
      help: 'SyncProxyRules latency in seconds',
      buckets: exponentialBuckets(0.001, 2, 15),
    }),
    lastSync: registry.gauge({
      name: 'kubeproxy_sync_proxy_rules_last_timestamp_seconds',
      help: 'The last time proxy rules were successfully synced',
    }),
    failures: registry.counter({
      name: 'kubeproxy_sync_proxy_rules_nftables_sync_failures_total',
      help: 'Cumulative proxy nftables sync failures',
    }),
  };
}
