/**
 * Compacts the store, so that continue tokens expire and history does not grow. What is compacted is the revision of an
 * interval ago, so that slow watches find the history of at least that long. A store that no other server uses may keep old
 * revisions for longer; continue tokens of these expire all the same, as clients expect of a server that compacts.
 *
 * Where several API servers share a store, the key `compact_rev_key`, which upstream's servers use, too, holds the revision
 * that was compacted last; its version counts the compactions. A server compacts if the version is the one that it saw an
 * interval ago: so one server does it in each interval, and another one takes over when that one dies.
 */
import { StoreError, type Store } from '../../etcd/index.ts';
import type { Clock, Context } from '../../kernel/index.ts';

const COMPACT_REV_KEY = 'compact_rev_key';

/** The default of --etcd-compaction-interval. */
export const COMPACTION_INTERVAL_MS = 300_000;

/** Continue tokens of revisions before `oldest` have expired. */
export interface Snapshots {
  oldest: number;
}

interface Seen {
  /** How often the store was compacted, by whomever. */
  readonly version: number;
  readonly revision: number;
}

/**
 * Compacts once every interval until the context ends. An interval of 0 leaves it to others. `historyMs`: how long a store
 * that no other server uses keeps old revisions, if they are not too many.
 */
export async function runCompactor(
  ctx: Context,
  store: Store,
  intervalMs: number,
  historyMs = intervalMs,
  snapshots: Snapshots = { oldest: 0 },
): Promise<void> {
  if (intervalMs === 0) return;
  const own = store.isShared ? undefined : new OwnHistory(ctx.clock, historyMs, snapshots);
  let seen: Seen = { version: 0, revision: 0 };
  for (;;) {
    try {
      await ctx.clock.sleep(own ? Math.min(intervalMs, historyMs) : intervalMs, ctx.signal);
    } catch {
      return;
    }
    try {
      if (own) await own.compact(store);
      else seen = await compactOnce(store, seen);
    } catch (error) {
      if (ctx.signal.aborted) return;
      ctx.logger.error(error, 'Compacting etcd failed');
    }
  }
}

/** With more revisions than these, the oldest intervals are not kept. The store itself limits the size of its history. */
const MAX_REVISIONS = 50_000;

/** A store that no other server uses needs no agreement: nothing is written. */
class OwnHistory {
  /** The revisions of the intervals that are kept, the oldest first. */
  #marks: { readonly at: number; readonly revision: number }[] = [];
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #snapshots: Snapshots;

  constructor(clock: Clock, keepMs: number, snapshots: Snapshots) {
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#snapshots = snapshots;
  }

  async compact(store: Store): Promise<void> {
    const [at, revision] = [this.#clock.monotonic(), await store.revision()];
    const isDue = (mark: { at: number; revision: number }): boolean =>
      mark.at <= at - this.#keepMs || revision - mark.revision > MAX_REVISIONS;
    // The latest mark is an interval old.
    this.#snapshots.oldest = this.#marks.at(-1)?.revision ?? 0;
    const due = this.#marks.filter(isDue);
    this.#marks = [...this.#marks.slice(due.length), { at, revision }];
    const target = due.at(-1)?.revision ?? 0;
    if (target > 0) await compactTo(store, target);
  }
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
