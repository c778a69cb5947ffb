import type { Clock } from '../../kernel/index.ts';

const FIRST_MS = 1_000;
const MAX_MS = 15 * 60_000;

/** How long to wait before a failed pod on a node is replaced again: a kubelet that refuses it would refuse the next one too. */
export class FailedPodBackoff {
  readonly #clock: Clock;
  readonly #last = new Map<string, { at: number; delayMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 0 when it may be replaced now, which counts as done; the time that is left otherwise. */
  next(key: string): number {
    const now = this.#clock.monotonic();
    for (const [other, { at }] of this.#last) if (now - at > 2 * MAX_MS) this.#last.delete(other);
    const last = this.#last.get(key);
    if (last && now < last.at + last.delayMs) return last.at + last.delayMs - now;
    this.#last.set(key, { at: now, delayMs: last ? Math.min(last.delayMs * 2, MAX_MS) : FIRST_MS });
    return 0;
  }
}
