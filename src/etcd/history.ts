import type { Change } from './apply-txn.ts';

/** The changes of one revision, in the transaction's order. */
export interface RevisionRecord {
  readonly revision: number;
  readonly changes: readonly Change[];
}

/** The changes since the last compaction, for watches and reads of older revisions. */
export interface History {
  /** The oldest revision whose record is in memory; older ones, if they still exist, need `load`. */
  readonly firstLoaded: number;
  /** Records in memory from revision `from` on, in order, until `visit` returns false. */
  visit(from: number, visit: (record: RevisionRecord) => boolean | void): void;
  /** Brings the records from `from` on into memory. */
  load(from: number): Promise<void>;
}

export interface WatchSource {
  readonly history: History;
  /** The newest revision that watchers may know of. */
  readonly published: number;
  readonly compactRevision: number;
}
