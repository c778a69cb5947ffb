import type { Clock } from '../../kernel/index.ts';
import { checkRange, checkTxn } from '../check-request.ts';
import { failure } from '../errors.ts';
import type {
  Alarm,
  LeaseStatus,
  RangeRequest,
  RangeResult,
  Store,
  StoreStatus,
  TxnOperation,
  TxnRequest,
  TxnResult,
  Watch,
  WatchRequest,
} from '../store.ts';
import { alarmOfMessage, messageOfAlarm, messageOfRange, messageOfTxn, txnResultOfMessage } from '../wire/convert.ts';
import { CallError } from './call-error.ts';
import { calls, streams } from './calls.ts';
import type { EtcdTls } from './channel.ts';
import { Endpoints, storeErrorOf } from './endpoints.ts';
import { MessageStream } from './message-stream.ts';
import { EtcdWatch } from './watch.ts';

export interface EtcdStoreOptions {
  endpoints: readonly string[];
  tls?: EtcdTls;
  clock: Clock;
  /** How long one attempt may take before the client tries another member. Default 3 s. */
  requestTimeoutMs?: number;
  /** How long reads are retried. Default 10 s. */
  retryForMs?: number;
}

const SAFE = { idempotent: true };
const UNSAFE = { idempotent: false };
/** Large reads take long on healthy members, too; keepalives detect dead ones. */
const LARGE_READ = { idempotent: true, timeoutMs: 60_000 };
const DEFRAGMENT_TIMEOUT_MS = 10 * 60_000;
const ALARM_GET = 0;
const ALARM_DEACTIVATE = 2;

/** A store in a real etcd (3.4 or later), one member or several. Connects when first used. */
export function createEtcdStore(options: EtcdStoreOptions): EtcdStore {
  return new EtcdStore(options);
}

export class EtcdStore implements Store {
  readonly isShared = true;
  readonly #endpoints: Endpoints;
  readonly #watches = new Set<EtcdWatch>();
  readonly #clock: Clock;
  #closed = false;

  constructor(options: EtcdStoreOptions) {
    this.#clock = options.clock;
    this.#endpoints = new Endpoints({ requestTimeoutMs: 3000, retryForMs: 10_000, ...options });
  }

  /** The members have changed. */
  updateEndpoints(endpoints: readonly string[]): void {
    this.#endpoints.update(endpoints);
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    checkRange(request);
    const { header, kvs, count, more } = await this.#endpoints.unary(
      calls.range,
      messageOfRange(request),
      request.rangeEnd ? LARGE_READ : SAFE,
    );
    return { revision: header?.revision ?? 0, kvs, count, more };
  }

  async txn(request: TxnRequest): Promise<TxnResult> {
    checkTxn(request);
    const idempotent = onlyReads(request.success) && onlyReads(request.failure);
    return txnResultOfMessage(await this.#endpoints.unary(calls.txn, messageOfTxn(request), { idempotent }));
  }

  watch(request: WatchRequest): Watch {
    const watch = new EtcdWatch(request, this.#endpoints, this.#clock, (ended) => this.#watches.delete(ended));
    this.#watches.add(watch);
    if (this.#closed) watch.cancel();
    return watch;
  }

  async compact(revision: number, options: { physical?: boolean } = {}): Promise<void> {
    await this.#endpoints.unary(calls.compact, { revision, physical: options.physical ?? false }, UNSAFE);
  }

  async revision(): Promise<number> {
    const { revision } = await this.range({ key: '\0', countOnly: true });
    return revision;
  }

  async leaseGrant(request: { id?: bigint; ttl: number }): Promise<{ id: bigint; ttl: number }> {
    const { id, ttl } = await this.#endpoints.unary(calls.leaseGrant, request, UNSAFE);
    return { id, ttl };
  }

  async leaseRevoke(id: bigint): Promise<{ revision: number }> {
    const { header } = await this.#endpoints.unary(calls.leaseRevoke, { id }, UNSAFE);
    return { revision: header?.revision ?? 0 };
  }

  async leaseKeepAlive(id: bigint): Promise<{ ttl: number }> {
    const channel = this.#endpoints.current;
    const stream = new MessageStream(channel, streams.leaseKeepAlive);
    try {
      stream.write({ id });
      for await (const { ttl } of stream) return { ttl };
      throw failure('timeout');
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      this.#endpoints.failed(channel);
      throw storeErrorOf(error);
    } finally {
      stream.cancel();
    }
  }

  async leaseTimeToLive(id: bigint, options: { keys?: boolean } = {}): Promise<LeaseStatus> {
    const status = await this.#endpoints.unary(calls.leaseTimeToLive, { id, keys: options.keys ?? false }, SAFE);
    return { id: status.id, ttl: status.ttl, grantedTtl: status.grantedTtl, keys: status.keys };
  }

  async leases(): Promise<bigint[]> {
    const { leases } = await this.#endpoints.unary(calls.leases, {}, SAFE);
    return leases.map(({ id }) => id);
  }

  async status(): Promise<StoreStatus> {
    const status = await this.#endpoints.unary(calls.status, {}, SAFE);
    return {
      version: status.version,
      dbSize: status.dbSize,
      dbSizeInUse: status.dbSizeInUse,
      revision: status.header?.revision ?? 0,
      compactRevision: 0,
      memberId: status.header?.memberId ?? 0n,
      clusterId: status.header?.clusterId ?? 0n,
      leader: status.leader,
      raftTerm: status.raftTerm,
      raftIndex: status.raftIndex,
      errors: status.errors,
    };
  }

  async alarms(): Promise<Alarm[]> {
    const { alarms } = await this.#endpoints.unary(calls.alarm, { action: ALARM_GET }, SAFE);
    return alarms.map(alarmOfMessage).filter((alarm) => alarm !== undefined);
  }

  async disarm(alarm: Alarm): Promise<void> {
    await this.#endpoints.unary(calls.alarm, { ...messageOfAlarm(alarm), action: ALARM_DEACTIVATE }, UNSAFE);
  }

  /** Every member has its own file. Members are defragmented one by one, because a member does not answer meanwhile. */
  async defragment(): Promise<void> {
    for (const channel of this.#endpoints.all()) {
      try {
        await this.#endpoints.attempt(channel, calls.defragment, {}, DEFRAGMENT_TIMEOUT_MS);
      } catch (error) {
        throw error instanceof CallError ? storeErrorOf(error) : error;
      }
    }
  }

  async hash(revision = 0): Promise<{ hash: number; revision: number; compactRevision: number }> {
    const at = revision > 0 ? revision : await this.revision();
    const { hash, compactRevision } = await this.#endpoints.unary(calls.hashKv, { revision: at }, SAFE);
    return { hash, compactRevision, revision: at };
  }

  async *snapshot(): AsyncIterable<Uint8Array> {
    const stream = new MessageStream(this.#endpoints.current, streams.snapshot);
    try {
      stream.write({});
      for await (const { blob } of stream) yield blob;
    } catch (error) {
      throw error instanceof CallError ? storeErrorOf(error) : error;
    } finally {
      stream.cancel();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const watch of this.#watches) watch.cancel();
    this.#endpoints.close();
  }
}

function onlyReads(operations: readonly TxnOperation[] = []): boolean {
  return operations.every(
    (op) => op.op === 'range' || (op.op === 'txn' && onlyReads(op.success) && onlyReads(op.failure)),
  );
}
