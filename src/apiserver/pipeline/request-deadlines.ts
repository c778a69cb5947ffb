/**
 * Request timeouts. A request that is not long-running has `--request-timeout`, or less by its `timeout` parameter;
 * writes have 34 seconds at most, as upstream. One timer serves all requests with the same timeout.
 */
import { parseDuration } from '../../base/index.ts';
import type { Clock, Timer } from '../../kernel/index.ts';
import { badRequest, type StatusError, timeout } from '../../machinery/errors/index.ts';
import { isLongRunning, type RequestInfo } from '../request/request-info.ts';

export const REQUEST_TIMEOUT_MS = 60_000;
const WRITE_TIMEOUT_MS = 34_000;
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

interface TimeLimit {
  readonly ms: number;
  /** The response to a request that has not been answered by then. */
  readonly error: () => StatusError;
}

const requestTimeout = (): StatusError => timeout('request did not complete within the allotted timeout', 0);
const writeTimeout = (): StatusError =>
  timeout('request did not complete within requested timeout - context deadline exceeded', 0);

interface Running {
  readonly expiresAt: number;
  readonly expire: () => void;
}

export class RequestDeadlines {
  readonly #clock: Clock;
  /** By timeout; requests with the same timeout expire in the order in which they arrived. */
  readonly #running = new Map<number, Set<Running>>();
  readonly #timers = new Map<number, Timer>();
  readonly #seatTimers = new Set<Timer>();
  #closed = false;
  readonly #default: TimeLimit;
  readonly #write: TimeLimit;

  constructor(
    clock: Clock,
    readonly requestTimeoutMs: number = REQUEST_TIMEOUT_MS,
  ) {
    this.#clock = clock;
    this.#default = { ms: requestTimeoutMs, error: requestTimeout };
    this.#write = requestTimeoutMs <= WRITE_TIMEOUT_MS ? this.#default : { ms: WRITE_TIMEOUT_MS, error: writeTimeout };
  }

  /** undefined for a long-running request; fails with 400 for a `timeout` that is not a duration. */
  limitOf(info: RequestInfo, query: URLSearchParams): TimeLimit | undefined {
    if (isLongRunning(info)) return undefined;
    const limit = info.isResourceRequest && WRITES.has(info.verb) ? this.#write : this.#default;
    const asked = query.get('timeout');
    if (!asked) return limit;
    const ms = durationOf(asked);
    return ms > 0 && ms < limit.ms ? { ms, error: requestTimeout } : limit;
  }

  /** The result of the work, or that of `expired` if the request times out first; a later result is dropped. */
  within<T>(
    work: Promise<T>,
    { expiresAt, limit, expired }: { expiresAt: number; limit: TimeLimit; expired: () => T },
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const running: Running = { expiresAt, expire: () => resolve(expired()) };
      this.#add(limit.ms, running);
      work.then(
        (result) => {
          this.#remove(limit.ms, running);
          resolve(result);
        },
        (error: unknown) => {
          this.#remove(limit.ms, running);
          reject(error as Error);
        },
      );
    });
  }

  /** Calls `leave` once the seat has been held for too long. Requests after `close` have no limit. */
  limitSeat(leave: () => void): Timer | undefined {
    if (this.#closed) return undefined;
    const timer = this.#clock.after(this.requestTimeoutMs, () => {
      this.#seatTimers.delete(timer);
      leave();
    });
    this.#seatTimers.add(timer);
    return {
      cancel: () => {
        this.#seatTimers.delete(timer);
        timer.cancel();
      },
    };
  }

  /** Cancels all timers. Running requests continue without a timeout. */
  close(): void {
    this.#closed = true;
    for (const timer of [...this.#timers.values(), ...this.#seatTimers]) timer.cancel();
    this.#timers.clear();
    this.#seatTimers.clear();
    this.#running.clear();
  }

  #add(ms: number, running: Running): void {
    let others = this.#running.get(ms);
    if (!others) this.#running.set(ms, (others = new Set()));
    others.add(running);
    if (!this.#timers.has(ms)) this.#expireAt(ms, running.expiresAt);
  }

  #remove(ms: number, running: Running): void {
    const others = this.#running.get(ms);
    others?.delete(running);
    // The timers of the default timeouts stay; the timer of a requested timeout is removed with its last request.
    if (others?.size !== 0 || ms === this.#default.ms || ms === this.#write.ms) return;
    this.#running.delete(ms);
    this.#timers.get(ms)?.cancel();
    this.#timers.delete(ms);
  }

  #expireAt(ms: number, at: number): void {
    if (this.#closed) return;
    this.#timers.set(
      ms,
      this.#clock.after(Math.max(0, at - this.#clock.monotonic()), () => this.#expire(ms)),
    );
  }

  #expire(ms: number): void {
    this.#timers.delete(ms);
    const now = this.#clock.monotonic();
    for (const running of this.#running.get(ms) ?? []) {
      if (running.expiresAt > now) return this.#expireAt(ms, running.expiresAt);
      this.#remove(ms, running);
      running.expire();
    }
  }
}

function durationOf(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${(error as Error).message}`);
  }
}
