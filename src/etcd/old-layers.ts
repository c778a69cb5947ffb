import type { History } from './history.ts';
import { OrderedMap } from './ordered-map.ts';
import type { KeyValue } from './store.ts';

type Layer = OrderedMap<string, KeyValue | undefined>;

const emptyLayer: Layer = OrderedMap.empty();

/** Pages of a long list read at the same old revision: its layer is kept for the next page. */
const KEPT = 8;

/** What it takes to read old revisions through the newest: of each key changed since then, the pair that its first change replaced. */
export class OldLayers {
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
    if (this.#layers.size > KEPT) this.#layers.delete(this.#layers.keys().next().value!);
    return known.layer;
  }

  dropBefore(revision: number): void {
    for (const old of this.#layers.keys()) if (old < revision) this.#layers.delete(old);
  }
}
