/** Who waits for a container to end. */
export class ExitWaiters {
  readonly #waiters = new Map<string, Set<() => void>>();

  /** Tells everyone who waits for this container. */
  ended(id: string): void {
    for (const resolve of this.#waiters.get(id) ?? []) resolve();
    this.#waiters.delete(id);
  }

  /** Resolves with the container's end; false when the signal aborts before. */
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
