/** The metrics of the controllers of ReplicaSets and ReplicationControllers. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseTime } from '../../base/index.ts';
import { isPodReady } from '../../component-helpers/index.ts';
import { exponentialBuckets, type MetricsRegistry } from '../../kernel/index.ts';

const SUBSYSTEM = 'replicaset_controller';

export class ReplicaMetrics {
  readonly #ageRatio;
  readonly #skips;

  constructor(metrics: MetricsRegistry, owners: { readonly group: string; readonly resource: string }) {
    this.#ageRatio = metrics.histogram({
      name: `${SUBSYSTEM}_sorting_deletion_age_ratio`,
      help: 'How many times as old as the youngest ready pod the ready pods were that a sync chose to delete.',
      buckets: exponentialBuckets(0.25, 2, 6),
    });
    this.#skips = metrics
      .counter({
        name: `${SUBSYSTEM}_stale_sync_skips_total`,
        help: 'Syncs that were skipped, for the cache was stale.',
        labels: ['group', 'resource'],
      })
      .child(owners);
  }

  skipped(): void {
    this.#skips.inc();
  }

  /** `chosen`: the pods to delete, of the `active` ones. Whole ratios are counted, as upstream does. */
  chose(chosen: readonly Pod[], active: readonly Pod[], now: number): void {
    const ageOf = ({ metadata: { creationTimestamp } }: Pod): number => now - parseTime(creationTimestamp ?? '');
    let youngest = Infinity;
    for (const pod of active) if (isPodReady(pod)) youngest = Math.min(youngest, ageOf(pod));
    if (youngest <= 0) return;
    for (const pod of chosen) if (isPodReady(pod)) this.#ageRatio.observe(Math.trunc(ageOf(pod) / youngest));
  }
}
