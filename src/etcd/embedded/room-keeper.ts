import { statfsSync } from 'node:fs';
import { failure } from '../errors.ts';
import { StoreError } from '../store.ts';

/** How many commits pass between two looks at the size. */
const OBSERVE_EVERY = 200;
/** The alarm goes off again once this share of the quota is free. */
const CLEAR_BELOW = 0.95;
/** Less than this on the device is a full device: a commit needs some pages to copy. */
const LEAST_FREE_BYTES = 1024 * 1024;

/** Watches over the quota and the disk. */
export class RoomKeeper {
  #sinceLook = 0;
  #overQuota = false;
  #diskFull = false;
  /** What was free when a commit found no room; undefined after the next commit that is durable. */
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

  /** From a commit that found no room until one is durable again, or the device has room: nobody need write to find out. */
  get alarmed(): boolean {
    if (this.#overQuota) this.look();
    if (this.#freeAtFailure !== undefined && this.#freeBytes() >= this.#freeAtFailure + LEAST_FREE_BYTES)
      this.#freeAtFailure = undefined;
    return this.#overQuota || this.#freeAtFailure !== undefined || (this.#diskFull && this.#diskIsFull());
  }

  /** Refuses what would need more room; deletions and compaction are always allowed, as they make some. */
  check(): void {
    if (this.#overQuota) this.look();
    if (this.#overQuota || (this.#diskFull && this.#diskIsFull())) throw failure('no-space');
  }

  observe(commits: number): void {
    this.#freeAtFailure = undefined;
    this.#sinceLook += commits;
    if (this.#sinceLook < OBSERVE_EVERY && !this.#overQuota) return;
    this.look();
  }

  /** Why a commit failed. */
  explain(cause: unknown): StoreError {
    this.#diskFull = this.#diskIsFull();
    if (this.#diskFull || (cause instanceof Error && /no space left|MDB_MAP_FULL/i.test(cause.message))) {
      this.#freeAtFailure = this.#freeBytes();
      return failure('no-space', { cause });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new StoreError('unavailable', `etcdserver: the store could not write: ${reason}`, 0, { cause });
  }

  look(): void {
    this.#sinceLook = 0;
    const { inUse } = this.#sizes();
    this.#overQuota = inUse > this.quotaBytes * (this.#overQuota ? CLEAR_BELOW : 1);
  }

  #diskIsFull(): boolean {
    return (this.#diskFull = this.#freeBytes() < LEAST_FREE_BYTES);
  }

  /** Infinite where the system does not tell. */
  #freeBytes(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#directory);
      return bavail * bsize;
    } catch {
      return Infinity;
    }
  }
}
