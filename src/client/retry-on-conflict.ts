import { Backoff, type Clock, type Random } from '../kernel/index.ts';
import { isConflict } from './errors.ts';

export interface RetryOptions {
  clock: Clock;
  random: Random;
  attempts?: number;
  signal?: AbortSignal;
}

/** Runs `work` again after a conflict. `work` must read the object each time before it changes it. */
export async function retryOnConflict<T>(options: RetryOptions, work: () => Promise<T>): Promise<T> {
  const { clock, random, attempts = 5, signal } = options;
  const backoff = new Backoff({ baseMs: 10, factor: 1, capMs: 10, jitter: 0.1, random });
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !isConflict(error)) throw error;
    }
    await clock.sleep(backoff.next(), signal);
  }
}
