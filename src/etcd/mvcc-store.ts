import { crc32 } from 'node:zlib';
import type { Clock } from '../kernel/index.ts';
import { applySinglePut, singlePutOf } from './apply-single-put.ts';
import { applyTxn, type Draft } from './apply-txn.ts';
import { checkRange, checkTxn, defaultLimits, type RequestLimits } from './check-request.ts';
import type { Commit, Engine, EngineEvents } from './engine.ts';
import { failure } from './errors.ts';
import { type LeaseState, Lessor } from './lessor.ts';
import { readRange } from './read-range.ts';
import {
  BYTES_PER_SIZE,
  type Alarm,
  type LazyValue,
  type LeaseStatus,
  type RangeRequest,
  type RangeResult,
  type Store,
  type StoreStatus,
  type TxnOperation,
  type TxnRequest,
  type TxnResult,
  type Watch,
  type WatchRequest,
} from './store.ts';
import type { View } from './view.ts';
import { WatchHub } from './watch-hub.ts';

/** The etcd release with which the store is compatible, as `status` reports it. */
export const COMPATIBLE_VERSION = '3.6.8';

interface MvccOptions {
  clock: Clock;
  createEngine(events: EngineEvents): Engine;
  revision: number;
  compactRevision: number;
  leases?: LeaseState;
  limits?: RequestLimits;
  memberId: bigint;
  clusterId: bigint;
  /** Whether puts of one key take a shorter path. */
  singlePut?: boolean;
}

/**
 * etcd's semantics over an engine: one writer at a time, decided in memory; responses are sent when the commit is
 * durable.
 */
export abstract class MvccStore implements Store {
  protected readonly engine: Engine;
  protected readonly hub: WatchHub;
  protected readonly lessor: Lessor;
  /** The newest assigned revision; revisions after `published` are not durable yet. */
  #assigned: number;
  published: number;
  compactRevision: number;
  /** The leases as of `published`. */
  protected publishedLeases: LeaseState;
  #closing: Promise<void> | undefined;

  constructor(protected readonly options: MvccOptions) {
    this.#assigned = this.published = options.revision;
    this.compactRevision = options.compactRevision;
    this.lessor = new Lessor(options.clock, (id) => this.#revokeIfPresent(id), options.leases);
    this.publishedLeases = this.lessor.state;
    this.engine = options.createEngine({
      onDurable: (commits) => this.#publish(commits),
      onFailed: () => this.#rollBack(),
      onCompacted: (revision) => (this.compactRevision = Math.max(this.compactRevision, revision)),
    });
    this.hub = new WatchHub(this, options.clock);
  }

  abstract snapshot(): AsyncIterable<Uint8Array>;
  abstract defragment(): Promise<void>;
  abstract alarms(): Promise<Alarm[]>;
  abstract disarm(alarm: Alarm): Promise<void>;

  get history() {
    return this.engine.history;
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    this.checkOpen();
    checkRange(request);
    const revision = request.revision && request.revision > 0 ? request.revision : this.published;
    await this.#load(revision);
    // The revision may have been compacted, and others published, while history was loaded.
    const now = request.revision && request.revision > 0 ? revision : this.published;
    return readRange(this.viewAt(now), request, this.published);
  }

  async txn(request: TxnRequest): Promise<TxnResult> {
    this.checkOpen();
    const limits = this.options.limits ?? defaultLimits;
    const single = this.options.singlePut === false ? undefined : singlePutOf(request);
    if (!single || maxBytes(single.put.value) > limits.maxRequestBytes / 2) {
      checkTxn(request, limits);
      const oldest = oldestRead(request);
      if (oldest + 1 < this.history.firstLoaded) await this.#load(oldest);
    }
    if (single || mayPut(request.success) || mayPut(request.failure)) this.engine.checkQuota();
    const draft = this.engine.draft();
    const environment = {
      draft,
      revision: this.#assigned,
      leaseExists: this.#leaseExists,
      viewAt: this.#viewOf,
    };
    const { result, changes } = single ? applySinglePut(single, environment) : applyTxn(request, environment);
    if (changes.length === 0) {
      // The transaction may have read data that is not durable yet, so the response waits.
      const settled = this.engine.settled();
      if (settled !== undefined) await settled;
      return result;
    }
    this.#assigned++;
    this.lessor.apply(changes);
    const durable = this.engine.commit({
      draft,
      record: { revision: this.#assigned, changes },
      leases: this.lessor.state,
    });
    if (durable !== undefined) await durable;
    return result;
  }

  watch(request: WatchRequest): Watch {
    return this.hub.watch(request);
  }

  async compact(revision: number, options: { physical?: boolean } = {}): Promise<void> {
    this.checkOpen();
    if (revision <= this.compactRevision) throw failure('compacted', { compactRevision: this.compactRevision });
    if (revision > this.published) throw failure('future-revision');
    this.compactRevision = revision;
    await this.engine.compact(revision, { physical: options.physical ?? false, leases: this.lessor.state });
  }

  revision(): Promise<number> | number {
    return this.published;
  }

  async leaseGrant(request: { id?: bigint; ttl: number }): Promise<{ id: bigint; ttl: number }> {
    this.checkOpen();
    this.engine.checkQuota();
    const granted = this.lessor.checkGrant(request);
    this.lessor.grant(granted);
    await this.engine.commit({
      draft: this.engine.draft(),
      record: undefined,
      leases: this.lessor.state,
      leaseGranted: granted,
    });
    return granted;
  }

  async leaseRevoke(id: bigint): Promise<{ revision: number }> {
    this.checkOpen();
    if (!this.lessor.exists(id)) throw failure('lease-not-found');
    const draft: Draft = this.engine.draft();
    const success = this.lessor.keysOf(id).map((key): TxnOperation => ({ op: 'delete', key }));
    const { changes } = applyTxn(
      { success },
      {
        draft,
        revision: this.#assigned,
        leaseExists: () => true,
        viewAt: (revision) => this.viewAt(revision),
      },
    );
    if (changes.length > 0) this.#assigned++;
    const revision = this.#assigned;
    this.lessor.remove(id);
    const record = changes.length > 0 ? { revision, changes } : undefined;
    await this.engine.commit({ draft, record, leases: this.lessor.state, leaseRevoked: id });
    return { revision };
  }

  async leaseKeepAlive(id: bigint): Promise<{ ttl: number }> {
    this.checkOpen();
    return this.lessor.keepAlive(id);
  }

  async leaseTimeToLive(id: bigint, options: { keys?: boolean } = {}): Promise<LeaseStatus> {
    this.checkOpen();
    return this.lessor.status(id, options.keys ?? false);
  }

  async leases(): Promise<bigint[]> {
    this.checkOpen();
    return this.lessor.ids();
  }

  async status(): Promise<StoreStatus> {
    this.checkOpen();
    const { total, inUse } = this.engine.sizes();
    const alarms = await this.alarms();
    return {
      version: COMPATIBLE_VERSION,
      dbSize: total,
      dbSizeInUse: inUse,
      revision: this.published,
      compactRevision: this.compactRevision,
      memberId: this.options.memberId,
      clusterId: this.options.clusterId,
      leader: this.options.memberId,
      raftTerm: 2n,
      raftIndex: BigInt(this.published),
      errors: alarms.map(({ memberId, alarm }) => `memberID:${memberId} alarm:${alarm.toUpperCase()} `),
    };
  }

  /** A hash of every pair that is readable at the revision. */
  async hash(revision?: number): Promise<{ hash: number; revision: number; compactRevision: number }> {
    this.checkOpen();
    const at = revision ? revision : this.published;
    await this.#load(at);
    let hash = 0;
    this.viewAt(at).scan('\0', undefined, (kv) => {
      hash = crc32(
        Buffer.from(`${kv.key}\0${kv.createRevision}\0${kv.modRevision}\0${kv.version}\0${kv.lease}\0`, 'latin1'),
        hash,
      );
      hash = crc32(kv.value, hash);
    });
    return { hash, revision: at, compactRevision: this.compactRevision };
  }

  close(): Promise<void> {
    this.#closing ??= this.shutDown();
    return this.#closing;
  }

  protected async shutDown(): Promise<void> {
    this.lessor.close();
    await this.engine.close();
    this.hub.close();
  }

  readonly #leaseExists = (id: bigint): boolean => this.lessor.exists(id);
  readonly #viewOf = (revision: number): View => this.viewAt(revision);

  /** The published state at a revision, whose history is loaded. */
  protected viewAt(revision: number): View {
    if (revision > this.#assigned) throw failure('future-revision');
    if (revision < this.compactRevision) throw failure('compacted', { compactRevision: this.compactRevision });
    return this.engine.viewAt(revision);
  }

  protected checkOpen(): void {
    if (this.#closing !== undefined) throw failure('closed');
  }

  async #load(revision: number): Promise<void> {
    if (revision > this.#assigned) throw failure('future-revision');
    if (revision < this.compactRevision) throw failure('compacted', { compactRevision: this.compactRevision });
    if (revision + 1 < this.history.firstLoaded) await this.history.load(revision + 1);
  }

  #publish(commits: readonly Commit[]): void {
    const records = [];
    for (const { record } of commits) if (record !== undefined) records.push(record);
    this.publishedLeases = commits.at(-1)!.leases;
    if (records.length === 0) return;
    this.published = records.at(-1)!.revision;
    this.hub.publish(records);
  }

  #rollBack(): void {
    this.#assigned = this.published;
    this.lessor.restore(this.publishedLeases);
  }

  async #revokeIfPresent(id: bigint): Promise<void> {
    if (this.#closing === undefined && this.lessor.exists(id)) await this.leaseRevoke(id);
  }
}

/** The oldest revision that a transaction reads at, Infinity when it reads only the newest. */
function oldestRead(request: TxnRequest): number {
  let oldest = Infinity;
  for (const branch of [request.success, request.failure]) {
    if (branch === undefined) continue;
    for (const operation of branch) {
      if (operation.op === 'range' && operation.revision) oldest = Math.min(oldest, operation.revision);
      else if (operation.op === 'txn') oldest = Math.min(oldest, oldestRead(operation));
    }
  }
  return oldest;
}

function mayPut(operations: readonly TxnOperation[] | undefined): boolean {
  if (operations === undefined) return false;
  return operations.some((op) => op.op === 'put' || (op.op === 'txn' && (mayPut(op.success) || mayPut(op.failure))));
}

const maxBytes = (value: Uint8Array | LazyValue): number =>
  value instanceof Uint8Array ? value.length : value.size * BYTES_PER_SIZE;
