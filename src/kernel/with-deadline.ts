import type { Clock } from './clock.ts';

/** Without a reason every abort would make a DOMException, with a stack trace that nobody reads. */
const ENDED = new Error('the work has ended');

/**
 * Runs `work` with a signal that aborts after `ms`. The deadline ends with the work: a long one that is left to itself
 * would keep what listens to it in memory until it fires.
 */
export async function withDeadline<T>(
  { clock, parent, ms }: { readonly clock: Clock; readonly parent?: AbortSignal | undefined; readonly ms: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const end = (): void => ended.abort(parent?.reason);
  if (parent?.aborted) end();
  else parent?.addEventListener('abort', end, { once: true });
  try {
    return await work(clock.deadline(ms, ended.signal));
  } finally {
    parent?.removeEventListener('abort', end);
    ended.abort(ENDED);
  }
}
