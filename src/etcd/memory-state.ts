import { failure } from './errors.ts';
import type { RevisionRecord } from './history.ts';
import type { LeaseState } from './lessor.ts';
import { OrderedMap } from './ordered-map.ts';
import type { KeyValue } from './store.ts';

/** The whole state of a memory store at one moment. Immutable, so taking and forking it costs nothing. */
export interface MemoryState {
  readonly pairs: OrderedMap<string, KeyValue>;
  /** From the last compaction on: what each revision changed. */
  readonly revisions: OrderedMap<number, RevisionRecord>;
  /** The size of the values in `revisions`. */
  readonly historyBytes: number;
  readonly revision: number;
  readonly compactRevision: number;
  readonly leases: LeaseState | undefined;
}

export const emptyMemoryState: MemoryState = {
  pairs: OrderedMap.empty(),
  revisions: OrderedMap.empty<number, RevisionRecord>().set(1, { revision: 1, changes: [] }),
  historyBytes: 0,
  revision: 1,
  compactRevision: 0,
  leases: undefined,
};

/** The state at an earlier revision, by undoing what each later one changed. Leases stay as they are. */
export function rewoundState(state: MemoryState, revision: number): MemoryState {
  if (revision > state.revision) throw failure('future-revision');
  if (revision < state.compactRevision) throw failure('compacted', { compactRevision: state.compactRevision });
  const undone: RevisionRecord[] = [];
  state.revisions.scan(revision + 1, undefined, (record) => void undone.push(record));
  let { pairs, revisions, historyBytes } = state;
  for (const record of undone.reverse()) {
    revisions = revisions.delete(record.revision);
    historyBytes -= recordSize(record);
    for (const { kv, prevKv } of record.changes.toReversed())
      pairs = prevKv === undefined ? pairs.delete(kv.key) : pairs.set(kv.key, prevKv);
  }
  return { ...state, pairs, revisions, historyBytes, revision };
}

export const valueSize = (kv: KeyValue): number => kv.lazyValue?.size ?? kv.value.length;

/** The size of the values that a revision wrote: those that it replaced belong to the revisions that wrote them. */
export function recordSize({ changes }: RevisionRecord): number {
  let size = 0;
  for (const { kv } of changes) size += valueSize(kv);
  return size;
}
