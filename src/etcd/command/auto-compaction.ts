import { DurationError, parseDuration } from '../../base/index.ts';
import { UsageError } from '../../flags/index.ts';
import type { Context } from '../../kernel/index.ts';
import { type Store, StoreError } from '../store.ts';

export type AutoCompaction = { mode: 'periodic'; retentionMs: number } | { mode: 'revision'; revisions: number };

const HOUR_MS = 3_600_000;
const REVISION_CHECK_MS = 5 * 60_000;
const SAMPLES = 10;

/** etcd's two flags; a retention of 0 turns it off, and a bare number in periodic mode means hours. */
export function parseAutoCompaction(mode = 'periodic', retention = '0'): AutoCompaction | undefined {
  if (mode !== 'periodic' && mode !== 'revision') {
    throw new UsageError(`invalid --auto-compaction-mode ${JSON.stringify(mode)}: it must be periodic or revision`);
  }
  const count = /^\d+$/.test(retention) ? Number(retention) : undefined;
  if (mode === 'revision') {
    if (count === undefined)
      throw new UsageError(
        `invalid --auto-compaction-retention ${JSON.stringify(retention)}: it must be a number of revisions`,
      );
    return count === 0 ? undefined : { mode, revisions: count };
  }
  const retentionMs = count === undefined ? durationFlag(retention) : count * HOUR_MS;
  return retentionMs === 0 ? undefined : { mode, retentionMs };
}

/** Compacts by the policy until the context ends. */
export async function runAutoCompaction(ctx: Context, store: Store, policy: AutoCompaction): Promise<void> {
  const intervalMs = policy.mode === 'revision' ? REVISION_CHECK_MS : Math.max(1, policy.retentionMs / SAMPLES);
  const samples: number[] = [];
  for (;;) {
    try {
      await ctx.clock.sleep(intervalMs, ctx.signal);
    } catch {
      return;
    }
    const now = await store.revision();
    let target: number | undefined;
    if (policy.mode === 'revision') target = now - policy.revisions;
    else {
      samples.push(now);
      if (samples.length > SAMPLES) target = samples.shift();
    }
    if (target === undefined || target <= 0) continue;
    await store.compact(target).catch((error: unknown) => {
      if (!(error instanceof StoreError && error.code === 'compacted'))
        ctx.logger.error(error, 'Automatic compaction failed', { revision: target });
    });
  }
}

function durationFlag(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw error instanceof DurationError
      ? new UsageError(`invalid --auto-compaction-retention: ${error.message}`)
      : error;
  }
}
