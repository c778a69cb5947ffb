/** The metrics of the controllers that write EndpointSlices; they differ in the prefix of the names. */
import {
  exponentialBuckets,
  type Counter,
  type Gauge,
  type Histogram,
  type MetricsRegistry,
} from '../../kernel/index.ts';
import type { EndpointGroup } from './slice-plan.ts';

export type SliceSubsystem = 'endpoint_slice_controller' | 'endpoint_slice_mirroring_controller';

/** Endpoints and slices of one Service. */
interface ServiceSlices {
  readonly endpoints: number;
  readonly slices: number;
  readonly desiredSlices: number;
}

interface PlannedChange {
  readonly groups: readonly EndpointGroup[];
  readonly maxPerSlice: number;
  /** Slices of the Service after the change. */
  readonly slices: number;
  readonly endpointsAdded: number;
  readonly endpointsRemoved: number;
}

const PER_SYNC = exponentialBuckets(2, 2, 15);

export class SliceMetrics {
  readonly #added: Histogram;
  readonly #removed: Histogram;
  readonly #changes: Counter<'operation'>;
  readonly #services = new Map<string, ServiceSlices>();

  constructor(metrics: MetricsRegistry, subsystem: SliceSubsystem) {
    const perSync = (name: string, help: string): Histogram =>
      metrics.histogram({ name: `${subsystem}_${name}_per_sync`, help, buckets: PER_SYNC });
    this.#added = perSync('endpoints_added', 'Endpoints that a sync added.');
    this.#removed = perSync('endpoints_removed', 'Endpoints that a sync removed.');
    this.#changes = metrics.counter({
      name: `${subsystem}_changes`,
      help: 'EndpointSlices that were created, updated or deleted.',
      labels: ['operation'],
    });
    const sum = (field: keyof ServiceSlices) => (): number =>
      [...this.#services.values()].reduce((total, service) => total + service[field], 0);
    const gauge = (name: string, help: string): Gauge => metrics.gauge({ name: `${subsystem}_${name}`, help });
    gauge('endpoints_desired', 'Endpoints that Services should have.').collect(sum('endpoints'));
    gauge('num_endpoint_slices', 'EndpointSlices of Services.').collect(sum('slices'));
    gauge('desired_endpoint_slices', 'EndpointSlices that would suffice for the endpoints.').collect(
      sum('desiredSlices'),
    );
  }

  planned(serviceKey: string, { groups, maxPerSlice, slices, endpointsAdded, endpointsRemoved }: PlannedChange): void {
    this.#added.observe(endpointsAdded);
    this.#removed.observe(endpointsRemoved);
    const counts = groups.map(({ endpoints }) => endpoints.length);
    const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
    const desiredSlices = Math.max(1, total(counts.map((count) => Math.ceil(count / maxPerSlice))));
    this.#services.set(serviceKey, { endpoints: total(counts), slices, desiredSlices });
  }

  changed(operation: 'create' | 'update' | 'delete'): void {
    this.#changes.inc({ operation });
  }

  forget(serviceKey: string): void {
    this.#services.delete(serviceKey);
  }
}

/** What only the controller of Services with a selector counts. */
export class ServiceSyncMetrics {
  readonly #syncs: Counter<'result'>;
  readonly #changedPerSync: Histogram<'topology' | 'traffic_distribution'>;
  readonly #distributions = new Map<string, string>();
  /** Values that were in use once are counted as 0. */
  readonly #knownDistributions = new Set<string>();

  constructor(metrics: MetricsRegistry) {
    this.#syncs = metrics.counter({
      name: 'endpoint_slice_controller_syncs',
      help: 'Syncs of the EndpointSlices of a Service.',
      labels: ['result'],
    });
    this.#changedPerSync = metrics.histogram({
      name: 'endpoint_slice_controller_endpointslices_changed_per_sync',
      help: 'EndpointSlices that a sync changed.',
      labels: ['topology', 'traffic_distribution'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
    metrics
      .gauge({
        name: 'endpoint_slice_controller_services_count_by_traffic_distribution',
        help: 'Services with a trafficDistribution.',
        labels: ['traffic_distribution'],
      })
      .collectEach(() =>
        [...this.#knownDistributions].map((traffic_distribution) => ({
          labels: { traffic_distribution },
          value: [...this.#distributions.values()].filter((value) => value === traffic_distribution).length,
        })),
      );
  }

  synced(result: 'success' | 'stale' | 'error'): void {
    this.#syncs.inc({ result });
  }

  changed(slices: number, labels: { topology: 'Auto' | 'Disabled'; traffic_distribution: string }): void {
    this.#changedPerSync.observe(slices, labels);
  }

  /** @param distribution that of the Service; undefined when it has none or is gone */
  distributes(serviceKey: string, distribution: string | undefined): void {
    if (distribution === undefined) {
      this.#distributions.delete(serviceKey);
      return;
    }
    this.#distributions.set(serviceKey, distribution);
    this.#knownDistributions.add(distribution);
  }
}
