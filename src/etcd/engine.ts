import type { Draft } from './apply-txn.ts';
import type { History, RevisionRecord } from './history.ts';
import type { LeaseState } from './lessor.ts';
import type { View } from './view.ts';

/** One write: a new revision, a change of the leases, or both. */
export interface Commit {
  draft: Draft;
  record: RevisionRecord | undefined;
  leases: LeaseState;
  leaseGranted?: { id: bigint; ttl: number };
  leaseRevoked?: bigint;
}

/**
 * Where an `MvccStore` keeps its state. An engine does not know transactions, watches or lease times: it holds the
 * newest pairs and the history since the last compaction, and makes commits durable in their order.
 */
export interface Engine {
  readonly history: History;
  /** A draft of the newest state, including commits that are not durable yet. */
  draft(): Draft;
  /** The state at a published revision from the compaction on. Its history must be loaded from `revision + 1` on. */
  viewAt(revision: number): View;
  /** Resolves when the commit is durable and `onDurable` was called; undefined when it is already. */
  commit(commit: Commit): Promise<void> | undefined;
  /** Resolves when every commit so far is durable; undefined when all are. */
  settled(): Promise<void> | undefined;
  /**
   * Resolves when the compaction is durable. The records before `revision` are removed in the background, or before it
   * resolves if `physical`.
   */
  compact(revision: number, options: { physical: boolean; leases: LeaseState }): Promise<void>;
  /** Throws 'no-space' when puts are refused. */
  checkQuota(): void;
  sizes(): { total: number; inUse: number };
  close(): Promise<void>;
}

export interface EngineEvents {
  /** The commits are durable: requests may be answered and watchers notified. Called before their promises resolve. */
  onDurable(commits: readonly Commit[]): void;
  /** All commits in flight are lost; their promises reject after this call. */
  onFailed(): void;
  /** The engine has compacted itself up to this revision. */
  onCompacted(revision: number): void;
}
