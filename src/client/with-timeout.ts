import type { Clock, Timer } from '../kernel/index.ts';
import { TransportError } from './transport.ts';

interface TimeoutOptions {
  clock: Pick<Clock, 'after'>;
  ms: number;
  signal?: AbortSignal;
  /** Names the work in the error. */
  what: string | (() => string);
}

/** The limit of work. Its signal is created lazily, because in-process requests usually finish without reading it. */
export interface TimeLimit {
  readonly signal: AbortSignal;
}

/**
 * Runs `work` with a signal that aborts after `ms` or with the caller's. The result rejects then even if the work
 * ignores the signal, because an in-process server that was stopped may never answer.
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
    this.#timer = options.clock.after(options.ms, () => this.#expire());
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

  #expire(): void {
    const { what, ms } = this.#options;
    this.giveUp(
      new TransportError('timeout', `${typeof what === 'string' ? what : what()}: no answer within ${ms} ms`),
    );
  }
}

const followersOfSignals = new WeakMap<AbortSignal, Set<Attempt>>();

/**
 * One listener per signal, however many requests follow it: adding and removing listeners is linear in their number.
 */
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
