import type { RevisionRecord } from './history.ts';
import type { LeaseState } from './lessor.ts';
import { OrderedMap } from './ordered-map.ts';
import type { KeyValue } from './store.ts';

/** The whole state of a memory store at one moment. Immutable, so taking and forking it costs nothing. */
export interface MemoryState {
  readonly pairs: OrderedMap<string, KeyValue>;
  /** From the last compaction on: what each revision changed. */
  readonly revisions: OrderedMap<number, RevisionRecord>;
  readonly revision: number;
  readonly compactRevision: number;
  readonly leases: LeaseState | undefined;
}

export const emptyMemoryState: MemoryState = {
  pairs: OrderedMap.empty(),
  revisions: OrderedMap.empty<number, RevisionRecord>().set(1, { revision: 1, changes: [] }),
  revision: 1,
  compactRevision: 0,
  leases: undefined,
};
