/** Lets callers wait for the exit of a container. */
export class ExitWaiters {
  readonly #waiters = new Map<string, Set<() => void>>();

  /** Resolves all waits for this container. */
  ended(id: string): void {
    for (const resolve of this.#waiters.get(id) ?? []) resolve();
    this.#waiters.delete(id);
  }

  /** Resolves to true when the container exits, or to false when the signal aborts first. */
  wait(id: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters);
      const ended = (): void => {
        signal.removeEventListener('abort', gaveUp);
        resolve(true);
      };
      const gaveUp = (): void => {
        waiters.delete(ended);
        resolve(false);
      };
      waiters.add(ended);
      if (signal.aborted) gaveUp();
      else signal.addEventListener('abort', gaveUp, { once: true });
    });
  }
}
