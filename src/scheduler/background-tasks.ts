/**
 * Bindings and other work beside the decisions: started by the thousand, so that each costs no more than its own promise.
 * `run` ends when the signal has aborted and nothing is under way, or with the first failure that is nobody's to handle.
 */
export class BackgroundTasks {
  readonly #signal: AbortSignal;
  #count = 0;
  #freed: (() => void) | undefined;
  #ended: (() => void) | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** How many are under way. */
  get count(): number {
    return this.#count;
  }

  start(task: (signal: AbortSignal) => Promise<void>): void {
    if (this.#signal.aborted) return;
    this.#count++;
    task(this.#signal).then(
      () => this.#end(),
      (error: unknown) => {
        if (!this.#signal.aborted) this.#failure ??= { error };
        this.#end();
      },
    );
  }

  /** Resolves when the next one ends. */
  next(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => (this.#freed = resolve));
  }

  async run(): Promise<void> {
    while (this.#failure === undefined && (!this.#signal.aborted || this.#count > 0)) await this.#somethingEnds();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #somethingEnds(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#signal.removeEventListener('abort', done);
        this.#ended = undefined;
        resolve();
      };
      this.#ended = done;
      if (!this.#signal.aborted) this.#signal.addEventListener('abort', done, { once: true });
    });
  }

  #end(): void {
    this.#count--;
    const freed = this.#freed;
    this.#freed = undefined;
    freed?.();
    if (this.#failure !== undefined || this.#signal.aborted) this.#ended?.();
  }
}
