import type { Clock } from '../kernel/index.ts';
import { TransportError } from './transport.ts';

export interface TimeoutOptions {
  clock: Clock;
  ms: number;
  signal?: AbortSignal;
  /** What is being waited for, for the error. */
  what: string;
}

/**
 * Runs `work` with a signal that aborts after `ms` or with the caller's; the timer is gone as soon as work has ended. Work
 * that does not heed the signal is left behind: a server that was stopped in this process may never answer.
 */
export async function withTimeout<T>(options: TimeoutOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, ms, signal, what } = options;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.after(ms, () => controller.abort(new TransportError('timeout', `${what}: no answer within ${ms} ms`)));
  const aborted = new Promise<never>((_, reject) => controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), { once: true }));
  try {
    return await Promise.race([work(controller.signal), aborted]);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
