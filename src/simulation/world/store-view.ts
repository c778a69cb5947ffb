/**
 * The store as one API server of a world reaches it: over a connection that can be slow, break, or lose the answer of a
 * transaction that has been committed. A view that was closed belongs to a server that was killed: nothing gets through.
 */
import {
  StoreError,
  type RangeRequest,
  type RangeResult,
  type Store,
  type TxnRequest,
  type TxnResult,
  type Watch,
  type WatchBatch,
  type WatchRequest,
} from '../../etcd/index.ts';
import type { Clock } from '../../kernel/index.ts';

/** What happens to a transaction: refused before it is committed, or committed while the answer is lost. */
export type TxnFault = 'refused' | 'unknown' | 'full';

export interface StoreConditions {
  /** How long each request takes, in milliseconds. */
  delayMs(): number;
  txnFault(): TxnFault | undefined;
}

/** The store goes down at its next commit. */
export interface StoreCrash {
  /** Whether that commit reached the disk. Its answer is lost either way. */
  readonly commits: boolean;
  down: boolean;
  onCrash(): void;
}

/** The store answers at once, and nothing fails. */
export const HEALTHY: StoreConditions = { delayMs: () => 0, txnFault: () => undefined };

export class StoreView implements Store {
  readonly isShared = true;
  conditions: StoreConditions = HEALTHY;
  crash: StoreCrash | undefined;
  #closed = false;
  readonly #watches = new Set<BreakableWatch>();
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    await this.#arrive();
    return this.#store.range(request);
  }

  async txn(request: TxnRequest): Promise<TxnResult> {
    await this.#arrive();
    if (this.crash && !this.crash.down) return this.#crashAt(this.crash, request);
    const fault = this.conditions.txnFault();
    if (fault === 'refused') throw new StoreError('unavailable', 'etcdserver: no leader');
    if (fault === 'full') throw new StoreError('no-space', 'etcdserver: mvcc: database space exceeded');
    const result = await this.#store.txn(request);
    if (fault === 'unknown') throw new StoreError('timeout', 'etcdserver: request timed out');
    this.#checkOpen();
    return result;
  }

  async #crashAt(crash: StoreCrash, request: TxnRequest): Promise<never> {
    crash.down = true;
    if (crash.commits) await this.#store.txn(request);
    crash.onCrash();
    throw new StoreError('unavailable', 'etcdserver: the connection was lost');
  }

  watch(request: WatchRequest): Watch {
    const watch = new BreakableWatch(this.#store.watch(request), () => this.#watches.delete(watch));
    this.#watches.add(watch);
    if (this.#closed || this.crash?.down) watch.break();
    return watch;
  }

  /** Every watch ends with an error, as when the connection to etcd is lost; returns how many there were. */
  breakWatches(): number {
    const broken = [...this.#watches];
    for (const watch of broken) watch.break();
    return broken.length;
  }

  async compact(revision: number): Promise<void> {
    await this.#arrive();
    await this.#store.compact(revision);
  }

  async revision(): Promise<number> {
    await this.#arrive();
    return this.#store.revision();
  }

  async leaseGrant(request: { id?: bigint; ttl: number }): Promise<{ id: bigint; ttl: number }> {
    await this.#arrive();
    return this.#store.leaseGrant(request);
  }

  async leaseRevoke(id: bigint): Promise<{ revision: number }> {
    await this.#arrive();
    return this.#store.leaseRevoke(id);
  }

  async leaseKeepAlive(id: bigint): Promise<{ ttl: number }> {
    await this.#arrive();
    return this.#store.leaseKeepAlive(id);
  }

  leaseTimeToLive: Store['leaseTimeToLive'] = (id, options) => this.#store.leaseTimeToLive(id, options);
  leases: Store['leases'] = () => this.#store.leases();
  status: Store['status'] = () => this.#store.status();
  alarms: Store['alarms'] = () => this.#store.alarms();
  disarm: Store['disarm'] = (alarm) => this.#store.disarm(alarm);
  defragment: Store['defragment'] = () => this.#store.defragment();
  hash: Store['hash'] = (revision) => this.#store.hash(revision);
  snapshot: Store['snapshot'] = () => this.#store.snapshot();

  close(): Promise<void> {
    this.#closed = true;
    this.breakWatches();
    return Promise.resolve();
  }

  async #arrive(): Promise<void> {
    this.#checkOpen();
    const delay = this.conditions.delayMs();
    if (delay > 0) await this.#clock.sleep(delay);
    this.#checkOpen();
  }

  #checkOpen(): void {
    if (this.crash?.down) throw new StoreError('unavailable', 'connection refused');
    if (this.#closed) throw new StoreError('closed', 'the connection to the store was closed');
  }
}

class BreakableWatch implements Watch {
  #failed: ((error: StoreError) => void) | undefined;
  readonly #failure: Promise<never>;
  readonly #inner: Watch;
  readonly #ended: () => void;

  constructor(inner: Watch, ended: () => void) {
    this.#inner = inner;
    this.#ended = ended;
    this.#failure = new Promise<never>((_, reject) => (this.#failed = reject));
    this.#failure.catch(() => undefined);
  }

  requestProgress(): void {
    this.#inner.requestProgress();
  }

  cancel(): void {
    this.#ended();
    this.#inner.cancel();
  }

  break(): void {
    this.#failed?.(new StoreError('unavailable', 'the connection to the store was lost'));
    this.cancel();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchBatch> {
    const batches = this.#inner[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([batches.next(), this.#failure]);
        if (next.done) {
          // A broken watch was cancelled, too.
          await Promise.race([this.#failure, Promise.resolve()]);
          return;
        }
        yield next.value;
      }
    } finally {
      this.cancel();
    }
  }
}
