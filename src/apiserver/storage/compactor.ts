/**
 * Compacts the store, so that continue tokens expire and history does not grow. What is compacted is the revision of an
 * interval ago, so that slow watches find the history of at least that long.
 *
 * Where several API servers share a store, the key `compact_rev_key`, which upstream's servers use, too, holds the revision
 * that was compacted last; its version counts the compactions. A server compacts if the version is the one that it saw an
 * interval ago: so one server does it in each interval, and another one takes over when that one dies.
 */
import { StoreError, type Store } from '../../etcd/index.ts';
import type { Context } from '../../kernel/index.ts';

const COMPACT_REV_KEY = 'compact_rev_key';

/** The default of --etcd-compaction-interval. */
export const COMPACTION_INTERVAL_MS = 300_000;

interface Seen {
  /** How often the store was compacted, by whomever. */
  readonly version: number;
  readonly revision: number;
}

/** Compacts once every interval until the context ends. An interval of 0 leaves it to others. */
export async function runCompactor(ctx: Context, store: Store, intervalMs: number): Promise<void> {
  if (intervalMs === 0) return;
  let seen: Seen = { version: 0, revision: 0 };
  for (;;) {
    try {
      await ctx.clock.sleep(intervalMs, ctx.signal);
    } catch {
      return;
    }
    try {
      seen = store.isShared ? await compactOnce(store, seen) : await compactOwn(store, seen);
    } catch (error) {
      if (ctx.signal.aborted) return;
      ctx.logger.error(error, 'Compacting etcd failed');
    }
  }
}

/** A store that no other server uses needs no agreement: nothing is written. */
async function compactOwn(store: Store, { version, revision }: Seen): Promise<Seen> {
  const now = await store.revision();
  if (revision > 0) await compactTo(store, revision);
  return { version, revision: now };
}

function compactTo(store: Store, revision: number): Promise<void> {
  return store.compact(revision).catch((error: unknown) => {
    // An administrator, or a limit on the size of history, may have compacted further.
    if (!(error instanceof StoreError && error.code === 'compacted')) throw error;
  });
}

async function compactOnce(store: Store, { version, revision }: Seen): Promise<Seen> {
  const result = await store.txn({
    compare: [{ key: COMPACT_REV_KEY, target: 'version', result: 'equal', value: version }],
    success: [{ op: 'put', key: COMPACT_REV_KEY, value: Buffer.from(String(revision)) }],
    failure: [{ op: 'range', key: COMPACT_REV_KEY }],
  });
  if (!result.succeeded) {
    const [response] = result.responses;
    const found = response?.op === 'range' ? response.kvs[0] : undefined;
    return { version: found?.version ?? 0, revision: result.revision };
  }
  if (revision > 0) await compactTo(store, revision);
  return { version: version + 1, revision: result.revision };
}
