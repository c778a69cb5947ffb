/** Work on one sandbox or container happens in the order in which it was asked for; different ones do not wait. */
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
}
