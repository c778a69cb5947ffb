/**
 * Bindings and other work beside the scheduling loop. There are thousands, so each costs no more than its promise.
 * `run` ends when the signal has aborted and all tasks have ended, or throws the first error of a task.
 */
export class BackgroundTasks {
  readonly #signal: AbortSignal;
  #count = 0;
  #taskEnded: (() => void) | undefined;
  #ended: (() => void) | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The number of running tasks. */
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

  /** Resolves when the next task ends. */
  next(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => (this.#taskEnded = resolve));
  }

  async run(): Promise<void> {
    while (this.#failure === undefined && (!this.#signal.aborted || this.#count > 0)) await this.#untilTaskEnds();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #untilTaskEnds(): Promise<void> {
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
    const taskEnded = this.#taskEnded;
    this.#taskEnded = undefined;
    taskEnded?.();
    if (this.#failure !== undefined || this.#signal.aborted) this.#ended?.();
  }
}
