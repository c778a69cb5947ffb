import { performance } from 'node:perf_hooks';
import { deadlineOn, sleepOn, type Clock, type Timer } from './clock.ts';

/** Node's timers hold a signed 32-bit number of milliseconds; anything longer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. */
export class RealClock implements Clock {
  #wallAnchor = Date.now();
  #monotonicAnchor = performance.now();

  /**
   * The wall clock has whole milliseconds only; the fraction comes from the monotonic clock, anchored again whenever
   * the two disagree (the wall clock was set, or they drifted).
   */
  now(): number {
    const wall = Date.now();
    const monotonic = performance.now();
    const fine = this.#wallAnchor + (monotonic - this.#monotonicAnchor);
    if (fine >= wall && fine < wall + 1) return fine;
    this.#wallAnchor = wall;
    this.#monotonicAnchor = monotonic;
    return wall;
  }

  monotonic(): number {
    return performance.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  after(ms: number, fire: () => void): Timer {
    return scheduleOnce(ms, fire, true);
  }

  every(ms: number, fire: () => void): Timer {
    const handle = setInterval(fire, Math.min(ms, MAX_TIMER_MS));
    return { cancel: () => clearInterval(handle) };
  }

  /** A pending deadline alone does not keep the process alive. */
  deadline(ms: number, parent?: AbortSignal): AbortSignal {
    return deadlineOn({ after: (delay, fire) => scheduleOnce(delay, fire, false) }, ms, parent);
  }

  yield(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

function scheduleOnce(ms: number, fire: () => void, keepsProcessAlive: boolean): Timer {
  let remaining = Math.max(0, ms);
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    const step = Math.min(remaining, MAX_TIMER_MS);
    remaining -= step;
    handle = setTimeout(() => (remaining > 0 ? arm() : fire()), step);
    if (!keepsProcessAlive) handle.unref();
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}
