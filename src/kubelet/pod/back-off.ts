import { parseDuration } from '../../base/index.ts';
/**
 * How long to wait before a thing that failed is tried again: the first try after a failure comes at once, the next after
 * the initial delay, then twice that each time up to the maximum; a thing that was well for twice the maximum starts over.
 */
export interface BackOffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

interface Entry {
  delayMs: number;
  updatedAt: number;
}

export class BackOffTable {
  readonly #entries = new Map<string, Entry>();
  readonly #limits: BackOffLimits;

  constructor(limits: BackOffLimits) {
    this.#limits = limits;
  }

  /** The delay that counts now, 0 when there was no failure lately. */
  delay(key: string, failedAt: number): number {
    const entry = this.#entries.get(key);
    return entry === undefined || this.#expired(entry, failedAt) ? 0 : entry.delayMs;
  }

  /** Milliseconds that are left to wait, counted from the failure. */
  remaining(key: string, failedAt: number, now: number): number {
    return Math.max(0, failedAt + this.delay(key, failedAt) - now);
  }

  /** A try begins: the next one must wait longer. */
  next(key: string, failedAt: number, now: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#expired(entry, failedAt))
      this.#entries.set(key, { delayMs: this.#limits.initialMs, updatedAt: now });
    else {
      entry.delayMs = Math.min(entry.delayMs * 2, this.#limits.maxMs);
      entry.updatedAt = now;
    }
  }

  reset(key: string): void {
    this.#entries.delete(key);
  }

  /** Forgets what belongs to a pod that is gone. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }

  #expired({ updatedAt }: Entry, failedAt: number): boolean {
    return failedAt - updatedAt > 2 * this.#limits.maxMs;
  }
}

const MIN_CRASH_LOOP_MS = 1000;
const CRASH_LOOP_MAX_MS = 300_000;

/** The longest back-off of a crashing container: `crashLoopBackOff.maxContainerRestartPeriod`. */
export function crashLoopMaxMs(configured: unknown): number {
  if (configured === undefined) return CRASH_LOOP_MAX_MS;
  const ms = parseDuration(String(configured));
  if (ms >= MIN_CRASH_LOOP_MS && ms <= CRASH_LOOP_MAX_MS) return ms;
  throw new Error(
    `invalid configuration: CrashLoopBackOff.MaxContainerRestartPeriod (got: ${ms / 1000} seconds) must be set between 1s and 300s`,
  );
}
