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
  private sinceLook = 0;
  private overQuota = false;
  private diskFull = false;

  constructor(
    private readonly directory: string,
    readonly quotaBytes: number,
    private readonly sizes: () => { total: number; inUse: number },
  ) {}

  get alarmed(): boolean {
    if (this.overQuota) this.look();
    return this.overQuota || (this.diskFull && this.diskIsFull());
  }

  /** Refuses what would need more room; deletions and compaction are always allowed, as they make some. */
  check(): void {
    if (this.overQuota) this.look();
    if (this.overQuota || (this.diskFull && this.diskIsFull())) throw failure('no-space');
  }

  observe(commits: number): void {
    this.sinceLook += commits;
    if (this.sinceLook < OBSERVE_EVERY && !this.overQuota) return;
    this.look();
  }

  /** Why a commit failed. */
  explain(cause: unknown): StoreError {
    this.diskFull = this.diskIsFull();
    if (this.diskFull || (cause instanceof Error && /no space left|MDB_MAP_FULL/i.test(cause.message))) {
      return failure('no-space', { cause });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new StoreError('unavailable', `etcdserver: the store could not write: ${reason}`, 0, { cause });
  }

  look(): void {
    this.sinceLook = 0;
    const { inUse } = this.sizes();
    this.overQuota = inUse > this.quotaBytes * (this.overQuota ? CLEAR_BELOW : 1);
  }

  private diskIsFull(): boolean {
    try {
      const { bavail, bsize } = statfsSync(this.directory);
      this.diskFull = bavail * bsize < LEAST_FREE_BYTES;
    } catch {
      this.diskFull = false;
    }
    return this.diskFull;
  }
}
