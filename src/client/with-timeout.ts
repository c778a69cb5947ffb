import type { Clock } from '../kernel/index.ts';
import { TransportError } from './transport.ts';

export interface TimeoutOptions {
  clock: Pick<Clock, 'after'>;
  ms: number;
  signal?: AbortSignal;
  /** What is being waited for, for the error. */
  what: string;
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
  const { clock, ms, signal } = options;
  if (signal?.aborted) return Promise.reject(signal.reason as Error);
  return new Promise<T>((resolve, reject) => {
    const limit = new LazySignal();
    const giveUp = (reason: unknown): void => {
      end();
      limit.abort(reason);
      reject(reason as Error);
    };
    const timer = clock.after(ms, () => giveUp(new TransportError('timeout', `${options.what}: no answer within ${ms} ms`)));
    const followers = signal && followersOf(signal);
    followers?.add(giveUp);
    const end = (): void => {
      timer.cancel();
      followers?.delete(giveUp);
    };
    work(limit).then(
      (result) => {
        end();
        resolve(result);
      },
      (error: unknown) => {
        end();
        reject(error as Error);
      },
    );
  });
}

class LazySignal implements TimeLimit {
  #controller: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }
}

const followersOfSignals = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

/** One listener a signal, however many requests end with it: a signal looks through all its listeners for each that comes or goes. */
function followersOf(signal: AbortSignal): Set<(reason: unknown) => void> {
  let followers = followersOfSignals.get(signal);
  if (followers === undefined) {
    const all = (followers = new Set<(reason: unknown) => void>());
    followersOfSignals.set(signal, all);
    signal.addEventListener(
      'abort',
      () => {
        for (const giveUp of [...all]) giveUp(signal.reason);
      },
      { once: true },
    );
  }
  return followers;
}
