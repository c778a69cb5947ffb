/** The time of a cluster that runs on virtual time. */
import type { ApiRequest, ApiResponse } from '../apiserver/index.ts';
import { parseDuration } from '../base/index.ts';
import { RealClock, VirtualClock } from '../kernel/index.ts';

type Handle = (request: ApiRequest) => Promise<ApiResponse>;

/** After this much real time without a request, programs outside count as idle. */
const QUIET_MS = 3;
/** A request that takes longer may wait for virtual time to move. */
const MAX_SETTLE_MS = 50;
/** The largest step of virtual time while work is awaited. */
const MAX_STEP_MS = 1000;

export class ClusterClock extends VirtualClock {
  readonly #real = new RealClock();
  readonly startTime: number;
  #outside = 0;
  #lastOutside: number | undefined;

  constructor({ startTime, elapsed }: { startTime?: number; elapsed?: number } = {}) {
    const start = startTime ?? new RealClock().now();
    super({ startTime: start, ...(elapsed === undefined ? {} : { elapsed }) });
    this.startTime = start;
  }

  /** A second clock that starts at this one's time. */
  fork(): ClusterClock {
    return new ClusterClock({ startTime: this.now() - this.monotonic(), elapsed: this.monotonic() });
  }

  /** Advances time by milliseconds or a duration such as `2h`, and fires the timers on the way. */
  override advance(duration: number | string): Promise<void> {
    return super.advance(typeof duration === 'number' ? duration : parseDuration(duration));
  }

  /** Requests over the network need more turns of the event loop than promises: time stands until they are answered. */
  override settle(): Promise<void> {
    return this.#outside === 0 && this.#lastOutside === undefined ? super.settle() : this.#settleWithOutside();
  }

  async #settleWithOutside(): Promise<void> {
    await super.settle();
    if (this.#lastOutside === undefined) return;
    const began = this.#real.monotonic();
    while (
      (this.#outside > 0 || this.#real.monotonic() - this.#lastOutside < QUIET_MS) &&
      this.#real.monotonic() - began < MAX_SETTLE_MS
    )
      await this.yield();
  }

  /** Advances time from timer to timer until `work` has settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const finish = (): void => {
      done = true;
    };
    work.then(finish, finish);
    for (;;) {
      await this.#real.sleep(1);
      if (done) return work;
      await this.nudge();
    }
  }

  /** Runs what is ready, then advances to the next timer, or part of the way. */
  async nudge(): Promise<void> {
    await this.settle();
    const next = this.nextTimerAt;
    if (next === undefined) await this.#real.sleep(1);
    else await this.advance(Math.min(MAX_STEP_MS, Math.max(0, next - this.now())));
  }

  /** Wraps the API server and counts requests from outside the process. */
  readonly observe = (handle: Handle): Handle => {
    return async (request) => {
      if (request.inProcess) return handle(request);
      this.#outside++;
      try {
        return await handle(request);
      } finally {
        this.#outside--;
        this.#lastOutside = this.#real.monotonic();
      }
    };
  };
}
