import type { RevisionRecord } from './history.ts';
import type { LeaseState } from './lessor.ts';
import { OrderedMap } from './ordered-map.ts';
import type { KeyValue } from './store.ts';

/** The whole of a memory store at one moment. Immutable, so taking and forking it costs nothing. */
export interface MemoryState {
  readonly pairs: OrderedMap<string, KeyValue>;
  /** From the last compaction on: what each revision changed, and all pairs as they were then. */
  readonly revisions: OrderedMap<number, RevisionState>;
  readonly revision: number;
  readonly compactRevision: number;
  readonly leases: LeaseState | undefined;
}

export interface RevisionState extends RevisionRecord {
  readonly pairs: OrderedMap<string, KeyValue>;
}

const emptyPairs = OrderedMap.empty<string, KeyValue>();

export const emptyMemoryState: MemoryState = {
  pairs: emptyPairs,
  revisions: OrderedMap.empty<number, RevisionState>().set(1, { revision: 1, changes: [], pairs: emptyPairs }),
  revision: 1,
  compactRevision: 0,
  leases: undefined,
};
