import type { KeyValue } from '../store.ts';

/** What an entry costs besides its key and value. */
const ENTRY_BYTES = 250;

/**
 * Pairs that were read or written lately, so that the next reader gets them without a copy out of the file. It holds
 * what is durable, never what is on its way. In two halves: when the newer one is full, the older one goes as a whole. To
 * take the first entry out of a map again and again is slow, since each search for it passes the places of those before.
 */
export class PairCache {
  #newer = new Map<string, KeyValue>();
  #older = new Map<string, KeyValue>();
  #newerBytes = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): KeyValue | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(kv: KeyValue): void {
    const old = this.#newer.get(kv.key);
    if (old !== undefined) this.#newerBytes -= sizeOf(old);
    this.#newer.set(kv.key, kv);
    this.#newerBytes += sizeOf(kv);
    if (this.#newerBytes <= this.#maxBytes / 2) return;
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#newerBytes = 0;
  }

  delete(key: string): void {
    const old = this.#newer.get(key);
    if (old !== undefined) this.#newerBytes -= sizeOf(old);
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}

function sizeOf({ key, value }: KeyValue): number {
  return ENTRY_BYTES + key.length + value.length;
}
