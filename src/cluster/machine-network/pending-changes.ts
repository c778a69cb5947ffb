import { WakeUp, type Clock } from '../../kernel/index.ts';

/** Changes for a loop to work through. One that is noted while the loop is busy is not lost. */
export class PendingChanges {
  readonly #clock: Clock;
  readonly #wakeUp = new WakeUp();
  #isNoted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(): void {
    this.#isNoted = true;
    this.#wakeUp.wake();
  }

  /** Resolves when a change was noted since the last call returned, after `limitMs`, or when the signal aborts. */
  async next(signal: AbortSignal, limitMs: number): Promise<void> {
    if (!this.#isNoted) {
      const timer = this.#clock.after(limitMs, () => this.#wakeUp.wake());
      await this.#wakeUp.wait(signal);
      timer.cancel();
    }
    this.#isNoted = false;
  }
}
