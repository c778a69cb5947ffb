import type { Clock } from '../kernel/index.ts';
import { TransportError } from './transport.ts';

export interface TimeoutOptions {
  clock: Clock;
  ms: number;
  signal?: AbortSignal;
  /** What is being waited for, for the error. */
  what: string;
}

/** Runs `work` with a signal that aborts after `ms` or with the caller's; the timer is gone as soon as work has ended. */
export async function withTimeout<T>(options: TimeoutOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, ms, signal, what } = options;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.after(ms, () => controller.abort(new TransportError('timeout', `${what}: no answer within ${ms} ms`)));
  try {
    return await work(controller.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
