/**
 * Limits what costs a peer nothing and the server something: streams that are reset as soon as they are opened (rapid
 * reset), streams that break the protocol, empty frames. A connection that exceeds its budget is ended.
 */
import type { Clock } from '../../kernel/index.ts';
import { ConnectionError, ERROR } from './frames.ts';

export const ABUSE_BURST = 2000;
const ABUSE_PER_MS = 0.1;

export class AbuseBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #left = ABUSE_BURST;
  #countedAt: number;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#countedAt = clock.monotonic();
  }

  count(): void {
    const now = this.#clock.monotonic();
    this.#left = Math.min(ABUSE_BURST, this.#left + (now - this.#countedAt) * ABUSE_PER_MS) - 1;
    this.#countedAt = now;
    if (this.#left < 0) throw new ConnectionError(ERROR.enhanceYourCalm, 'too many reset streams or empty frames');
  }
}
