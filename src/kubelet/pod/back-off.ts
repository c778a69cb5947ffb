/**
 * Back-off per key, for restarts of crashed containers (CrashLoopBackOff) and failed image pulls. The first retry is
 * immediate, the next waits the initial delay, then the delay doubles up to the maximum. It is reset when the last
 * update is older than twice the maximum.
 */
import { parseDuration } from '../../base/index.ts';
interface BackOffLimits {
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

  /** The current delay; 0 without a recent failure. */
  delay(key: string, failedAt: number): number {
    const entry = this.#entries.get(key);
    return entry === undefined || this.#expired(entry, failedAt) ? 0 : entry.delayMs;
  }

  /** Milliseconds until the next try, counted from the failure. */
  remaining(key: string, failedAt: number, now: number): number {
    return Math.max(0, failedAt + this.delay(key, failedAt) - now);
  }

  /** A retry starts: doubles the delay for the next one. */
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

  /** Removes all keys of a pod, which start with its UID. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }

  #expired({ updatedAt }: Entry, failedAt: number): boolean {
    return failedAt - updatedAt > 2 * this.#limits.maxMs;
  }
}

const MIN_CRASH_LOOP_MS = 1000;
const CRASH_LOOP_MAX_MS = 300_000;

/** The maximum back-off of a crashing container: `crashLoopBackOff.maxContainerRestartPeriod`. */
export function crashLoopMaxMs(configured: unknown): number {
  if (configured === undefined) return CRASH_LOOP_MAX_MS;
  const ms = parseDuration(String(configured));
  if (ms >= MIN_CRASH_LOOP_MS && ms <= CRASH_LOOP_MAX_MS) return ms;
  throw new Error(
    `invalid configuration: CrashLoopBackOff.MaxContainerRestartPeriod (got: ${ms / 1000} seconds) must be set between 1s and 300s`,
  );
}
