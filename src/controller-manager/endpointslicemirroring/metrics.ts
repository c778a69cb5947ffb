/** What only the mirroring controller counts; `endpointslice/metrics.ts` has what it counts of slices. */
import { exponentialBuckets, type Histogram, type MetricsRegistry } from '../../kernel/index.ts';

const SUBSYSTEM = 'endpoint_slice_mirroring_controller';

export class MirroringMetrics {
  readonly #updated: Histogram;
  readonly #skipped: Histogram;
  readonly #seconds: Histogram;

  constructor(metrics: MetricsRegistry) {
    const buckets = exponentialBuckets(2, 2, 15);
    this.#updated = metrics.histogram({
      name: `${SUBSYSTEM}_endpoints_updated_per_sync`,
      help: 'Endpoints that a sync updated.',
      buckets,
    });
    this.#skipped = metrics.histogram({
      name: `${SUBSYSTEM}_addresses_skipped_per_sync`,
      help: 'Addresses beyond the limit of a subset, which a sync left out.',
      buckets,
    });
    this.#seconds = metrics.histogram({
      name: `${SUBSYSTEM}_endpoints_sync_duration`,
      help: 'Seconds that a sync of an Endpoints object took.',
      buckets: exponentialBuckets(0.001, 2, 15),
    });
  }

  mirrored({ updated, skipped }: { updated: number; skipped: number }): void {
    this.#updated.observe(updated);
    this.#skipped.observe(skipped);
  }

  synced(seconds: number): void {
    this.#seconds.observe(seconds);
  }
}
