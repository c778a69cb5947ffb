/** What a running cluster is stopped for and started again after, in the same process: containers go on. */
import type { Context } from '../kernel/index.ts';

/** Resolves to what was done, in words. */
export type StoppedWork = (ctx: Context) => Promise<string>;

export type WorkOutcome = { readonly done: string } | { readonly error: string };
