import type { Status } from '../framework/status.ts';

/** Numbers the different statuses of filters, so that the statuses of all nodes are a column of small numbers. */
export class StatusTable {
  readonly statuses: Status[] = [];
  readonly #byIdentity = new Map<Status, number>();
  readonly #byText = new Map<string, number>();

  index(status: Status): number {
    const same = this.#byIdentity.get(status);
    if (same !== undefined) return same;
    const text = `${status.plugin}\u0000${status.code}\u0000${status.reasons.join('\u0000')}`;
    let index = this.#byText.get(text);
    if (index === undefined) {
      index = this.statuses.push(status) - 1;
      this.#byText.set(text, index);
      // Bounded, because a plugin may create a new object for every status.
      if (this.#byIdentity.size < 256) this.#byIdentity.set(status, index);
    }
    return index;
  }
}
