/** Lets a loop sleep until somebody has work for it. */
export class WakeUp {
  #wake: (() => void) | undefined;

  /** Does nothing while nobody waits. */
  wake(): void {
    this.#wake?.();
  }

  /** Resolves at the next `wake`, or when the signal aborts. One caller waits at a time. */
  wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#wake = undefined;
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#wake = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
