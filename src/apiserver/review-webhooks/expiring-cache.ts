/** A cache whose entries expire. When it is full, the oldest entry is removed. */
import type { Clock } from '../../kernel/index.ts';

export class ExpiringCache<T> {
  #entries = new Map<string, { value: T; until: number }>();
  readonly #clock: Clock;
  readonly #limit: number;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (this.#clock.monotonic() < entry.until) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: T, ttlMs: number): void {
    if (ttlMs <= 0) return;
    this.#entries.delete(key);
    while (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { value, until: this.#clock.monotonic() + ttlMs });
  }
}
