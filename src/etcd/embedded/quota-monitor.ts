import { statfsSync } from 'node:fs';
import { errorMessage } from '../../base/index.ts';
import { failure } from '../errors.ts';
import { StoreError } from '../store.ts';

/** The size is measured once in this many commits. */
const OBSERVE_EVERY = 200;
/** The alarm clears below this share of the quota. */
const CLEAR_BELOW = 0.95;
/** A device with less free space counts as full: a commit needs some pages to copy. */
const MIN_FREE_BYTES = 1024 * 1024;

/** Raises the NOSPACE alarm when the store exceeds its quota or the disk is full. */
export class QuotaMonitor {
  #commitsSinceCheck = 0;
  #overQuota = false;
  #diskFull = false;
  /** Free bytes when a commit failed for lack of space; undefined after the next durable commit. */
  #freeAtFailure: number | undefined;
  readonly #directory: string;
  readonly #sizes: () => { total: number; inUse: number };

  constructor(
    directory: string,
    readonly quotaBytes: number,
    sizes: () => { total: number; inUse: number },
  ) {
    this.#directory = directory;
    this.#sizes = sizes;
  }

  /** True after a commit failed for lack of space, until a commit is durable or the device has space. */
  get alarmed(): boolean {
    if (this.#overQuota) this.measure();
    if (this.#freeAtFailure !== undefined && this.#freeBytes() >= this.#freeAtFailure + MIN_FREE_BYTES)
      this.#freeAtFailure = undefined;
    return this.#overQuota || this.#freeAtFailure !== undefined || (this.#diskFull && this.#diskIsFull());
  }

  /** Refuses puts. Deletions and compaction are always allowed, because they free space. */
  check(): void {
    if (this.#overQuota) this.measure();
    if (this.#overQuota || (this.#diskFull && this.#diskIsFull())) throw failure('no-space');
  }

  observe(commits: number): void {
    this.#freeAtFailure = undefined;
    this.#commitsSinceCheck += commits;
    if (this.#commitsSinceCheck < OBSERVE_EVERY && !this.#overQuota) return;
    this.measure();
  }

  /** The error of a failed commit. */
  explain(cause: unknown): StoreError {
    this.#diskFull = this.#diskIsFull();
    if (this.#diskFull || (cause instanceof Error && /no space left|MDB_MAP_FULL/i.test(cause.message))) {
      this.#freeAtFailure = this.#freeBytes();
      return failure('no-space', { cause });
    }
    const reason = errorMessage(cause);
    return new StoreError('unavailable', `etcdserver: the store could not write: ${reason}`, 0, { cause });
  }

  measure(): void {
    this.#commitsSinceCheck = 0;
    const { inUse } = this.#sizes();
    this.#overQuota = inUse > this.quotaBytes * (this.#overQuota ? CLEAR_BELOW : 1);
  }

  #diskIsFull(): boolean {
    return (this.#diskFull = this.#freeBytes() < MIN_FREE_BYTES);
  }

  /** Infinity where statfs fails. */
  #freeBytes(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#directory);
      return bavail * bsize;
    } catch {
      return Infinity;
    }
  }
}
