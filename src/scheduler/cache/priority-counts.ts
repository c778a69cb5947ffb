/** The number of pods of each priority, which shows whether there are pods to preempt. */
export class PriorityCounts {
  readonly #counts = new Map<number, number>();

  count(priority: number, by: 1 | -1): void {
    const now = (this.#counts.get(priority) ?? 0) + by;
    if (now > 0) this.#counts.set(priority, now);
    else this.#counts.delete(priority);
  }

  anyBelow(priority: number): boolean {
    for (const known of this.#counts.keys()) if (known < priority) return true;
    return false;
  }
}
