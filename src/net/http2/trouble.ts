/**
 * What costs a peer nothing and us something: requests that are taken back as soon as they are made, or broken so that we
 * give them up, while their work goes on; frames that say nothing. Everybody gets so much of it at once, and a second.
 */
import type { Clock } from '../../kernel/index.ts';
import { ConnectionError, ERROR } from './frames.ts';

export const TROUBLE_AT_ONCE = 2000;
const TROUBLE_PER_MS = 0.1;

export class Trouble {
  #left = TROUBLE_AT_ONCE;
  #at: number;
  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  count(): void {
    const now = this.#clock.monotonic();
    this.#left = Math.min(TROUBLE_AT_ONCE, this.#left + (now - this.#at) * TROUBLE_PER_MS) - 1;
    this.#at = now;
    if (this.#left < 0) throw new ConnectionError(ERROR.enhanceYourCalm, 'too much trouble');
  }
}
