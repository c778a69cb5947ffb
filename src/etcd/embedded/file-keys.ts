import type { Clock } from '../../kernel/index.ts';
import { BloomFilter, type KeyFilter } from './key-filter.ts';
import { keyCount, type Tables } from './tables.ts';

/** How many keys are read in one turn of the event loop. */
const KEYS_PER_STEP = 5_000;

/**
 * A filter of every key in the file. The file is read when it gets a new key, a large one in steps, and until its end any key may be
 * there: a server that starts has more to do than reading a million keys.
 */
export class FileKeys {
  readonly #tables: () => Tables;
  readonly #clock: Clock;
  #filter: KeyFilter | undefined;
  /** Gets what is added while the file is read. */
  #next: KeyFilter | undefined;
  #reading: Promise<void> | undefined;
  #closed = false;

  constructor(tables: () => Tables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  mayHave(key: string): boolean {
    return this.#filter?.mayHave(key) ?? true;
  }

  /** The file has a new key. */
  add(key: string): void {
    this.#filter?.add(key);
    if (this.#next !== undefined) this.#next.add(key);
    else if (this.#filter?.isFull ?? true) this.#begin();
  }

  /** Resolves when the file is not read any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#reading;
  }

  #begin(): void {
    const filter = new BloomFilter(keyCount(this.#tables()));
    this.#next = filter;
    const readTo = this.#step(filter, '\0');
    if (readTo === undefined) this.#use(filter);
    else this.#reading = this.#continue(filter, readTo);
  }

  async #continue(filter: KeyFilter, from: string): Promise<void> {
    for (let next: string | undefined = from; next !== undefined; next = this.#step(filter, next)) {
      await this.#clock.yield();
      if (this.#closed) return;
    }
    this.#use(filter);
  }

  /** Adds some keys from `start` on; undefined when these were the last ones. */
  #step(filter: KeyFilter, start: string): string | undefined {
    let count = 0;
    let last = '';
    for (const key of this.#tables().pairs.getKeys({ start, limit: KEYS_PER_STEP })) {
      filter.add(key);
      last = key;
      count++;
    }
    return count < KEYS_PER_STEP ? undefined : `${last}\0`;
  }

  #use(filter: KeyFilter): void {
    this.#filter = filter;
    this.#next = undefined;
    this.#reading = undefined;
  }
}
