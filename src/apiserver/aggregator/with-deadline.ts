import type { Context } from '../../kernel/index.ts';

/** Runs `work` with a signal that aborts after `ms`, or when the server stops. */
export async function withDeadline<T>(ctx: Context, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const timer = ctx.clock.after(ms, end);
  if (ctx.signal.aborted) end();
  ctx.signal.addEventListener('abort', end, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    timer.cancel();
    ctx.signal.removeEventListener('abort', end);
  }
}
