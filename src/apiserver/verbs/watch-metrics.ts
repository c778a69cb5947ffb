/** Metrics of watches, under upstream's names. */
import type { Context } from '../../kernel/index.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { FrameSink } from '../request/request.ts';

const SIZES = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];
const SECONDS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60];
const RESOURCE = ['group', 'version', 'resource'] as const;

interface EventInstruments {
  readonly total: { inc(): void };
  readonly sizes: { observe(bytes: number): void };
}

export class WatchMetrics {
  readonly #ctx: Pick<Context, 'clock' | 'metrics'>;
  readonly #total;
  readonly #sizes;
  readonly #listed;
  readonly #known = new WeakMap<ServedResource, EventInstruments>();

  constructor(ctx: Pick<Context, 'clock' | 'metrics'>) {
    this.#ctx = ctx;
    this.#total = ctx.metrics.counter({
      name: 'apiserver_watch_events_total',
      help: 'Number of events that were sent to watchers.',
      labels: RESOURCE,
    });
    this.#sizes = ctx.metrics.histogram({
      name: 'apiserver_watch_events_sizes',
      help: 'Sizes of the events that were sent to watchers.',
      labels: RESOURCE,
      buckets: SIZES,
    });
    this.#listed = ctx.metrics.histogram({
      name: 'apiserver_watch_list_duration_seconds',
      help: 'How long watches took to send the objects that a client asked to begin with.',
      labels: [...RESOURCE, 'scope'],
      buckets: SECONDS,
    });
  }

  /** The sink with its frames counted. */
  counting(served: ServedResource, sink: FrameSink<Buffer>): FrameSink<Buffer> {
    const { total, sizes } = this.#instruments(served);
    return {
      signal: sink.signal,
      write(frame) {
        total.inc();
        sizes.observe(frame.length);
        return sink.write(frame);
      },
      drained: () => sink.drained(),
    };
  }

  /** `namespace` is empty for all of them. */
  listed({ group, version, plural: resource }: ServedResource, namespace: string, startedAt: number): void {
    const scope = namespace === '' ? 'cluster' : 'namespace';
    this.#listed.observe((this.#ctx.clock.monotonic() - startedAt) / 1000, { group, version, resource, scope });
  }

  /** The series appear with the first event. */
  #instruments(served: ServedResource): EventInstruments {
    let instruments = this.#known.get(served);
    if (!instruments) {
      const { group, version, plural: resource } = served;
      const labels = { group, version, resource };
      instruments = { total: this.#total.child(labels), sizes: this.#sizes.child(labels) };
      this.#known.set(served, instruments);
    }
    return instruments;
  }
}
