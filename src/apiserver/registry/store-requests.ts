/** Metrics of the requests to the store, under upstream's names for those to etcd. */
import type { Clock, Context, MetricsRegistry } from '../../kernel/index.ts';
import type { ServedResource } from './served-resource.ts';

type Operation = 'get' | 'create' | 'update' | 'delete';

interface Instruments {
  readonly total: { inc(): void };
  readonly duration: { observe(seconds: number): void };
}

const SECONDS = [
  ...[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
];

export class StoreRequests {
  readonly #clock: Clock;
  readonly #metrics: MetricsRegistry;
  readonly #known = new WeakMap<object, Partial<Record<Operation, Instruments>>>();

  constructor({ clock, metrics }: Pick<Context, 'clock' | 'metrics'>) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** Counts the request and takes its time; also if it fails. */
  async measure<T>(served: ServedResource, operation: Operation, request: () => Promise<T>): Promise<T> {
    const startedAt = this.start();
    let result: T;
    try {
      result = await request();
    } catch (error) {
      this.failed(served, operation, startedAt);
      throw error;
    }
    this.ended(served, operation, startedAt);
    return result;
  }

  /** When a request starts, for `ended`: every write is measured by these, without a promise of its own. */
  start(): number {
    return this.#clock.monotonic();
  }

  failed(served: ServedResource, operation: Operation, startedAt: number): void {
    this.ended(served, operation, startedAt);
    this.#metrics
      .counter({
        name: 'etcd_request_errors_total',
        help: 'Failed requests to the store, by operation and resource.',
        labels: LABELS,
      })
      .inc(labelsOf(served, operation));
  }

  ended(served: ServedResource, operation: Operation, startedAt: number): void {
    const { total, duration } = this.#instruments(served, operation);
    total.inc();
    duration.observe((this.#clock.monotonic() - startedAt) / 1000);
  }

  #instruments(served: ServedResource, operation: Operation): Instruments {
    let known = this.#known.get(served);
    if (!known) this.#known.set(served, (known = {}));
    return (known[operation] ??= {
      total: this.#metrics
        .counter({
          name: 'etcd_requests_total',
          help: 'Requests to the store, by operation and resource.',
          labels: LABELS,
        })
        .child(labelsOf(served, operation)),
      duration: this.#metrics
        .histogram({
          name: 'etcd_request_duration_seconds',
          help: 'Duration of requests to the store, by operation and resource.',
          labels: LABELS,
          buckets: SECONDS,
        })
        .child(labelsOf(served, operation)),
    });
  }
}

const LABELS = ['operation', 'group', 'resource'] as const;

const labelsOf = ({ group, plural }: ServedResource, operation: Operation) => ({ operation, group, resource: plural });
