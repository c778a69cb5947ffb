/** The time of a cluster that runs on virtual time. */
import type { ApiRequest, ApiResponse } from '../apiserver/index.ts';
import { parseDuration } from '../base/index.ts';
import { RealClock, VirtualClock } from '../kernel/index.ts';

type Handle = (request: ApiRequest) => Promise<ApiResponse>;

/** Programs outside have answered a request this long ago, in real time, when they are taken to have nothing more to say. */
const QUIET_MS = 3;
/** A request that takes longer waits for something, perhaps for time to move. */
const MAX_SETTLE_MS = 50;
/** Time does not jump further at once while something is awaited. */
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

  /** Another clock that goes on from here. */
  fork(): ClusterClock {
    return new ClusterClock({ startTime: this.now() - this.monotonic(), elapsed: this.monotonic() });
  }

  /** Moves time on, by milliseconds or a duration such as `2h`; everything that falls due on the way happens. */
  override advance(duration: number | string): Promise<void> {
    return super.advance(typeof duration === 'number' ? duration : parseDuration(duration));
  }

  /** Requests over the network take turns of the event loop that promises do not: time stands until they are answered. */
  override async settle(): Promise<void> {
    await super.settle();
    if (this.#lastOutside === undefined) return;
    const began = this.#real.monotonic();
    while (
      (this.#outside > 0 || this.#real.monotonic() - this.#lastOutside < QUIET_MS) &&
      this.#real.monotonic() - began < MAX_SETTLE_MS
    )
      await this.yield();
  }

  /** Moves time while `work` is under way, at most as far as its next timer each time. */
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

  /** Lets what is ready happen, then moves to the next timer, or a little way there. */
  async nudge(): Promise<void> {
    await this.settle();
    const next = this.nextTimerAt;
    if (next === undefined) await this.#real.sleep(1);
    else await this.advance(Math.min(MAX_STEP_MS, Math.max(0, next - this.now())));
  }

  /** Stands around the API server and sees who is outside. */
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
