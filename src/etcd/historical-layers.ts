import type { History } from './history.ts';
import { OrderedMap } from './ordered-map.ts';
import type { KeyValue } from './store.ts';

type Layer = OrderedMap<string, KeyValue | undefined>;

const emptyLayer: Layer = OrderedMap.empty();

/** Pages of a paginated list read at the same old revision, so the last layers are cached. */
const MAX_LAYERS = 8;

/** Reads of old revisions: a layer over the newest state with, for each key changed since, the pair it had before. */
export class HistoricalLayers {
  readonly #layers = new Map<number, { upTo: number; layer: Layer }>();
  readonly #history: Pick<History, 'visit'>;

  constructor(history: Pick<History, 'visit'>) {
    this.#history = history;
  }

  backTo(revision: number): Layer {
    const known = this.#layers.get(revision) ?? { upTo: revision, layer: emptyLayer };
    this.#history.visit(known.upTo + 1, (record) => {
      for (const { kv, prevKv } of record.changes)
        if (!known.layer.has(kv.key)) known.layer = known.layer.set(kv.key, prevKv);
      known.upTo = record.revision;
    });
    this.#layers.delete(revision);
    this.#layers.set(revision, known);
    if (this.#layers.size > MAX_LAYERS) this.#layers.delete(this.#layers.keys().next().value!);
    return known.layer;
  }

  dropBefore(revision: number): void {
    for (const old of this.#layers.keys()) if (old < revision) this.#layers.delete(old);
  }
}
