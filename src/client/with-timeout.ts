import type { Clock, Timer } from '../kernel/index.ts';
import { TransportError } from './transport.ts';

export interface TimeoutOptions {
  clock: Pick<Clock, 'after'>;
  ms: number;
  signal?: AbortSignal;
  /** What is being waited for, for the error. */
  what: string | (() => string);
}

/** What work is limited by. The signal is made only for those who look: requests within one process are done before anybody does. */
export interface TimeLimit {
  readonly signal: AbortSignal;
}

/**
 * Runs `work` with a signal that aborts after `ms` or with the caller's; the timer is gone as soon as work has ended. Work
 * that does not heed the signal is left behind: a server that was stopped in this process may never answer.
 */
export function withTimeout<T>(options: TimeoutOptions, work: (limit: TimeLimit) => Promise<T>): Promise<T> {
  const { signal } = options;
  if (signal?.aborted) return Promise.reject(signal.reason as Error);
  return new Promise<T>((resolve, reject) => {
    const attempt = new Attempt(options, reject);
    work(attempt).then(
      (result) => {
        attempt.end();
        resolve(result);
      },
      (error: unknown) => {
        attempt.end();
        reject(error as Error);
      },
    );
  });
}

class Attempt implements TimeLimit {
  readonly #options: TimeoutOptions;
  readonly #reject: (reason: unknown) => void;
  readonly #timer: Timer;
  readonly #followers: Set<Attempt> | undefined;
  #controller: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;

  constructor(options: TimeoutOptions, reject: (reason: unknown) => void) {
    this.#options = options;
    this.#reject = reject;
    this.#timer = options.clock.after(options.ms, () => this.#late());
    this.#followers = options.signal && followersOf(options.signal);
    this.#followers?.add(this);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  end(): void {
    this.#timer.cancel();
    this.#followers?.delete(this);
  }

  giveUp(reason: unknown): void {
    this.end();
    this.#aborted = { reason };
    this.#controller?.abort(reason);
    this.#reject(reason);
  }

  #late(): void {
    const { what, ms } = this.#options;
    this.giveUp(
      new TransportError('timeout', `${typeof what === 'string' ? what : what()}: no answer within ${ms} ms`),
    );
  }
}

const followersOfSignals = new WeakMap<AbortSignal, Set<Attempt>>();

/** One listener a signal, however many requests end with it: a signal looks through all its listeners for each that comes or goes. */
function followersOf(signal: AbortSignal): Set<Attempt> {
  let followers = followersOfSignals.get(signal);
  if (followers === undefined) {
    const all = (followers = new Set<Attempt>());
    followersOfSignals.set(signal, all);
    signal.addEventListener(
      'abort',
      () => {
        for (const attempt of [...all]) attempt.giveUp(signal.reason);
      },
      { once: true },
    );
  }
  return followers;
}
