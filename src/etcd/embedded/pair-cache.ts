import type { KeyValue } from '../store.ts';

/** The overhead of an entry besides its key and value. */
const ENTRY_BYTES = 250;

/** Pairs that need no copy out of the file. It holds only durable pairs. */
export interface PairCache {
  get(key: string): KeyValue | undefined;
  set(kv: KeyValue): void;
  delete(key: string): void;
}

/** The plain counterpart: every pair is read from the file. */
export const noPairCache: PairCache = { get: () => undefined, set: () => {}, delete: () => {} };

/**
 * Recently read or written pairs. Eviction is by halves: when the newer map is full, the older one is dropped. Deleting a
 * Map's first entry again and again is slow, because each search for it passes the slots of the deleted ones. Pays for the
 * bench rows `embedded: range of 10000 keys of 1 KB` and `POST Pod`.
 */
export class RecentPairs implements PairCache {
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
