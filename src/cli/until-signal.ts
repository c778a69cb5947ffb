/** A context that ends with Ctrl-C or SIGTERM. */
import { createContext, type Context, type ContextOptions } from '../kernel/index.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface UntilSignal {
  readonly ctx: Context;
  /** Ends the context as a signal would. */
  stop(reason?: unknown): void;
  release(): void;
}

export function untilSignal(options: Omit<ContextOptions, 'signal'> = {}): UntilSignal {
  const stopped = new AbortController();
  const stop = (signal: NodeJS.Signals): void => stopped.abort(new Error(`ended by ${signal}`));
  for (const signal of SIGNALS) process.once(signal, stop);
  return {
    ctx: createContext({ ...options, signal: stopped.signal }),
    stop: (reason) => stopped.abort(reason ?? new Error('stopped')),
    release() {
      for (const signal of SIGNALS) process.off(signal, stop);
    },
  };
}
