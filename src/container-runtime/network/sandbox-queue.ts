/** Work on sandboxes: one thing at a time for each, different ones side by side. */
export class SandboxQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  run<Result>(sandboxId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(sandboxId);
    const inTurn = async (): Promise<Result> => {
      await Promise.allSettled([before]);
      try {
        return await work();
      } finally {
        if (this.#last.get(sandboxId) === mine) this.#last.delete(sandboxId);
      }
    };
    const mine: Promise<Result> = inTurn();
    this.#last.set(sandboxId, mine);
    return mine;
  }

  isBusy(sandboxId: string): boolean {
    return this.#last.has(sandboxId);
  }

  /** Resolves when nothing is being done. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
