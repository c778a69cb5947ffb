/** How many pods a taint eviction controller has deleted, and how late. */
import type { Counter, Histogram, MetricsRegistry } from '../../kernel/index.ts';

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];

export class TaintEvictionMetrics {
  readonly #deletions: Counter;
  readonly #seconds: Histogram;

  constructor(metrics: MetricsRegistry, subsystem: 'taint_eviction_controller' | 'device_taint_eviction_controller') {
    this.#deletions = metrics.counter({
      name: `${subsystem}_pod_deletions_total`,
      help: 'Pods that were deleted because of taints.',
    });
    this.#seconds = metrics.histogram({
      name: `${subsystem}_pod_deletion_duration_seconds`,
      help: 'Seconds from the time at which a pod had to be deleted to its deletion.',
      buckets: BUCKETS,
    });
  }

  deleted(lateMs: number): void {
    this.#deletions.inc();
    this.#seconds.observe(lateMs / 1000);
  }
}
