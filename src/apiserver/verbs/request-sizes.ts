/** The sizes of request bodies, under upstream's name. */
import { linearBuckets, type MetricsRegistry } from '../../kernel/index.ts';
import type { ServedResource } from '../registry/served-resource.ts';

interface Sizes {
  observe(bytes: number): void;
}

export class RequestSizes {
  readonly #histogram;
  readonly #known = new WeakMap<ServedResource, Map<string, Sizes>>();

  constructor(metrics: MetricsRegistry) {
    this.#histogram = metrics.histogram({
      name: 'apiserver_request_body_size_bytes',
      help: 'Sizes of request bodies, by resource, verb and group.',
      labels: ['resource', 'verb', 'group'],
      buckets: linearBuckets(50_000, 100_000, 31),
    });
  }

  observe(served: ServedResource, verb: string, bytes: number): void {
    let byVerb = this.#known.get(served);
    if (!byVerb) this.#known.set(served, (byVerb = new Map()));
    let sizes = byVerb.get(verb);
    if (!sizes) {
      sizes = this.#histogram.child({ resource: served.plural, verb, group: served.group });
      byVerb.set(verb, sizes);
    }
    sizes.observe(bytes);
  }
}
