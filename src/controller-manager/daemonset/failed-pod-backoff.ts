import type { Clock } from '../../kernel/index.ts';

const FIRST_MS = 1_000;
const MAX_MS = 15 * 60_000;

/** Backoff between replacements of failed pods on a node: a kubelet that rejects a pod would reject the next one, too. */
export class FailedPodBackoff {
  readonly #clock: Clock;
  readonly #last = new Map<string, { at: number; delayMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 0 when the pod may be replaced now, which starts the next backoff; otherwise the time that is left. */
  next(key: string): number {
    const now = this.#clock.monotonic();
    for (const [other, { at }] of this.#last) if (now - at > 2 * MAX_MS) this.#last.delete(other);
    const last = this.#last.get(key);
    if (last && now < last.at + last.delayMs) return last.at + last.delayMs - now;
    this.#last.set(key, { at: now, delayMs: last ? Math.min(last.delayMs * 2, MAX_MS) : FIRST_MS });
    return 0;
  }
}
