import { deadlineOn, sleepOn, type Clock, type Timer } from './clock.ts';
import { Heap } from './heap.ts';

interface PendingTimer {
  /** Microseconds since the clock's start. */
  at: number;
  sequence: number;
  /** Microseconds. */
  period: number | undefined;
  fire: () => void;
  cancelled: boolean;
}

interface VirtualClockOptions {
  /** Milliseconds since the epoch; default 2026-01-01T00:00:00Z. */
  startTime?: number;
  /**
   * How many turns of the event loop make the process settled. One is enough for promise chains of any length; work
   * that passes through Node's streams or thread pool needs more.
   */
  turns?: number;
  /** Milliseconds that have passed already, for a clock that continues another one's `startTime` and `monotonic()`. */
  elapsed?: number;
}

const DEFAULT_START_TIME = Date.UTC(2026, 0, 1);

/**
 * Time is counted in whole microseconds, rounded up: with fractions, a timer set for what is left of a wait could be due
 * a rounding error before its end, and be set again for ever without time moving.
 */
const microseconds = (ms: number): number => (ms > 0 ? Math.max(1, Math.ceil(ms * 1000 - 1e-6)) : 0);

/**
 * A clock whose time moves only when a caller moves it. Timers fire one by one in order of (due time, order of
 * creation); between two of them everything that was waiting on promises runs to its next timer, so the same program
 * takes the same path in every run.
 */
export class VirtualClock implements Clock {
  #elapsed = 0;
  /** How far the wall clock has been set forward, in milliseconds. */
  #jumped = 0;
  #sequence = 0;
  #live = 0;
  #stepping = false;
  readonly #start: number;
  readonly #turns: number;
  readonly #timers = new Heap<PendingTimer>((a, b) => a.at < b.at || (a.at === b.at && a.sequence < b.sequence));

  constructor(options: VirtualClockOptions = {}) {
    this.#start = options.startTime ?? DEFAULT_START_TIME;
    this.#turns = options.turns ?? 1;
    this.#elapsed = microseconds(options.elapsed ?? 0);
  }

  now(): number {
    return this.#start + this.#jumped + this.#elapsed / 1000;
  }

  monotonic(): number {
    return this.#elapsed / 1000;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  after(ms: number, fire: () => void): Timer {
    return this.#schedule(microseconds(ms), undefined, fire);
  }

  every(ms: number, fire: () => void): Timer {
    if (!(ms > 0)) throw new RangeError(`a period must be positive, got ${ms}`);
    return this.#schedule(microseconds(ms), microseconds(ms), fire);
  }

  deadline(ms: number, parent?: AbortSignal): AbortSignal {
    return deadlineOn(this, ms, parent);
  }

  yield(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** How many timers are waiting. */
  get pendingTimers(): number {
    return this.#live;
  }

  /** When the next timer is due, in milliseconds since the epoch; undefined when none waits. */
  get nextTimerAt(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : this.#start + this.#jumped + next.at / 1000;
  }

  /**
   * Sets the wall clock forward or back, as an administrator or a time server does; timers and monotonic time are not
   * affected.
   */
  jump(ms: number): void {
    this.#jumped += ms;
  }

  /** Runs everything that waits on promises, without moving time. */
  settle(): Promise<void> {
    return this.#turns === 1 ? this.yield() : this.#takeTurns();
  }

  async #takeTurns(): Promise<void> {
    for (let turn = 0; turn < this.#turns; turn++) await this.yield();
  }

  /** Moves time by `ms` and fires the timers that become due. */
  async advance(ms: number): Promise<void> {
    await this.#exclusively(() => this.#runTo(this.#elapsed + microseconds(ms)));
  }

  /** Jumps to the next timer and fires it. False when no timer waits. */
  async step(): Promise<boolean> {
    return this.#exclusively(async () => {
      await this.settle();
      if (!this.#fireNext(Infinity)) return false;
      await this.settle();
      return true;
    });
  }

  /** Fires timers until none waits. Throws past `limitMs` of virtual time, when a timer sets itself again for ever. */
  async runUntilIdle(limitMs = 3_600_000): Promise<void> {
    await this.#runWhile(() => this.#next() !== undefined, limitMs, 'no timer waits');
  }

  /** Moves time until `condition` holds. Throws past `limitMs` of virtual time, or when no timer is left to wait for. */
  async runUntil(condition: () => boolean, limitMs = 3_600_000): Promise<void> {
    await this.#runWhile(() => !condition(), limitMs, 'the condition holds');
  }

  /** Moves time until `work` has settled, and returns its result. */
  async drive<T>(work: Promise<T>, limitMs = 3_600_000): Promise<T> {
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    work.then(mark, mark);
    await this.#runWhile(() => !settled, limitMs, 'the promise settles');
    return work;
  }

  #schedule(delay: number, period: number | undefined, fire: () => void): Timer {
    const timer: PendingTimer = {
      at: this.#elapsed + delay,
      sequence: this.#sequence++,
      period,
      fire,
      cancelled: false,
    };
    this.#live++;
    this.#timers.push(timer);
    return {
      cancel: () => {
        if (timer.cancelled) return;
        timer.cancelled = true;
        this.#live--;
      },
    };
  }

  #next(): PendingTimer | undefined {
    for (;;) {
      const timer = this.#timers.peek();
      if (timer === undefined || !timer.cancelled) return timer;
      this.#timers.pop();
    }
  }

  /** What the timer set going has not ended before `settle()` has. */
  #fireNext(limit: number): boolean {
    const timer = this.#next();
    if (timer === undefined || timer.at > limit) return false;
    this.#timers.pop();
    this.#elapsed = Math.max(this.#elapsed, timer.at);
    if (timer.period === undefined) {
      timer.cancelled = true;
      this.#live--;
    } else {
      timer.at += timer.period;
      timer.sequence = this.#sequence++;
      this.#timers.push(timer);
    }
    timer.fire();
    return true;
  }

  async #runTo(target: number): Promise<void> {
    await this.settle();
    while (this.#fireNext(target)) await this.settle();
    this.#elapsed = Math.max(this.#elapsed, target);
  }

  async #runWhile(unfinished: () => boolean, limitMs: number, goal: string): Promise<void> {
    await this.#exclusively(async () => {
      const limit = this.#elapsed + microseconds(limitMs);
      await this.settle();
      while (unfinished()) {
        if (this.#fireNext(limit)) {
          await this.settle();
          continue;
        }
        const why =
          this.#next() === undefined ? 'no timer is left to wait for' : `${limitMs} ms of virtual time passed`;
        throw new Error(`virtual clock: ${why} before ${goal}`);
      }
    });
  }

  /** Two callers moving the same clock would make the order of timers depend on their interleaving. */
  async #exclusively<T>(move: () => Promise<T>): Promise<T> {
    if (this.#stepping) throw new Error('virtual clock: time is already being moved by another caller');
    this.#stepping = true;
    try {
      return await move();
    } finally {
      this.#stepping = false;
    }
  }
}
