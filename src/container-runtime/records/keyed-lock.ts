/**
 * A mutex per key: work on one sandbox, container or snapshot runs in the order of the calls; different keys run
 * concurrently.
 */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<void>>();

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key);
    let release: () => void = () => {};
    const tail = new Promise<void>((resolve) => (release = resolve));
    this.#tails.set(key, tail);
    try {
      await before;
      return await work();
    } finally {
      release();
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }

  isBusy(key: string): boolean {
    return this.#tails.has(key);
  }

  /** Resolves when all pending work has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}
