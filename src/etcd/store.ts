/**
 * The store in etcd's terms: a multi-version map from byte-string keys to values, where every committed transaction
 * that changes something gets the next revision. `memory`, `embedded` and `etcd` implement it with the same semantics;
 * one contract suite (`contract.ts`) runs against all of them. Keys are strings of Latin-1 code units, one per byte:
 * `/registry/pods/default/a` reads naturally, arbitrary bytes survive (`Buffer.from(key, 'latin1')`), and comparison is
 * byte order. Values are bytes; neither the store nor its callers change a value that was passed in or returned.
 */
export interface Store {
  /** Keys in [key, rangeEnd), or the one key when `rangeEnd` is absent; rangeEnd '\0' means "all keys from key on". */
  range(request: RangeRequest): Promise<RangeResult>;
  /** Evaluates the comparisons at one revision and applies one of the two branches, all or nothing, durably. */
  txn(request: TxnRequest): Promise<TxnResult>;
  /**
   * Events of a range from `startRevision` on (default: after now), in revision order, each exactly once. All events
   * of one revision arrive in one batch. Ends with a StoreError 'compacted' when history before `startRevision` is gone.
   */
  watch(request: WatchRequest): Watch;
  /** Makes history before `revision` unreadable; its space is freed in the background. */
  compact(revision: number, options?: { physical?: boolean }): Promise<void>;
  /** The current revision. On a distributed backend this is a linearizable read; others know it at once. */
  revision(): Promise<number> | number;
  /**
   * True when the store keeps every value in memory as the caller passed it: a reference to it costs no memory, and a
   * lazy value stays unencoded.
   */
  readonly keepsValues?: boolean;

  /** Whether other servers may write to the store, too. */
  readonly isShared?: boolean;

  leaseGrant(request: { id?: bigint; ttl: number }): Promise<{ id: bigint; ttl: number }>;
  leaseRevoke(id: bigint): Promise<{ revision: number }>;
  /** Renews once; resolves to the new remaining time to live in seconds, 0 when the lease does not exist. */
  leaseKeepAlive(id: bigint): Promise<{ ttl: number }>;
  leaseTimeToLive(id: bigint, options?: { keys?: boolean }): Promise<LeaseStatus>;
  leases(): Promise<bigint[]>;

  status(): Promise<StoreStatus>;
  alarms(): Promise<Alarm[]>;
  disarm(alarm: Alarm): Promise<void>;
  defragment(): Promise<void>;
  hash(revision?: number): Promise<{ hash: number; revision: number; compactRevision: number }>;
  /** A consistent copy of everything, as chunks of the backend's snapshot file. */
  snapshot(): AsyncIterable<Uint8Array>;
  /** Stops background work and releases files and connections. Watches end without an error. */
  close(): Promise<void>;
}

/** A value that is encoded at the first read of its bytes: the values of a store in memory may never be read. */
export interface LazyValue {
  /** An estimate of the length; the bytes are at most `BYTES_PER_SIZE` times as many. */
  readonly size: number;
  /** Returns the same bytes at each call. */
  bytes(): Uint8Array;
}

/** The maximum number of bytes that JSON needs for one character, as in \\u0000. */
export const BYTES_PER_SIZE = 6;

export const bytesOfValue = (value: Uint8Array | LazyValue): Uint8Array =>
  value instanceof Uint8Array ? value : value.bytes();

export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** Present when the caller put a lazy value into a store that `keepsValues`. */
  readonly lazyValue?: LazyValue;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  /** 0n when the key has no lease. */
  readonly lease: bigint;
}

export interface RangeRequest {
  key: string;
  rangeEnd?: string;
  /** 0 or absent: no limit. */
  limit?: number;
  /** 0 or absent: the current revision. Fails with 'compacted' or 'future-revision'. */
  revision?: number;
  keysOnly?: boolean;
  countOnly?: boolean;
  /**
   * The reader goes through everything once, page by page. It ignores `count`: counting for each page all that is left is
   * quadratic. What it reads is not cached, or nothing of what others read would stay.
   */
  isSweep?: boolean;
  minModRevision?: number;
  maxModRevision?: number;
  minCreateRevision?: number;
  maxCreateRevision?: number;
  sort?: { target: 'key' | 'version' | 'create' | 'mod' | 'value'; order: 'ascend' | 'descend' };
  /** The member may answer from its own state without consensus. */
  serializable?: boolean;
}

export interface RangeResult {
  /** The store's current revision, not that of the keys. */
  revision: number;
  kvs: KeyValue[];
  /** The number of keys in the range, regardless of the limit. With `isSweep` it may be that of `kvs`. */
  count: number;
  more: boolean;
}

export type Compare = {
  key: string;
  rangeEnd?: string;
  result: 'equal' | 'greater' | 'less' | 'not-equal';
} & (
  | { target: 'version' | 'create' | 'mod'; value: number }
  | { target: 'value'; value: Uint8Array }
  | { target: 'lease'; value: bigint }
);

export type TxnOperation =
  | {
      op: 'put';
      key: string;
      value: Uint8Array | LazyValue;
      lease?: bigint;
      prevKv?: boolean;
      ignoreValue?: boolean;
      ignoreLease?: boolean;
    }
  | { op: 'delete'; key: string; rangeEnd?: string; prevKv?: boolean }
  | ({ op: 'range' } & RangeRequest)
  | ({ op: 'txn' } & TxnRequest);

export interface TxnRequest {
  compare?: Compare[];
  success?: TxnOperation[];
  failure?: TxnOperation[];
}

export type TxnOperationResult =
  | { op: 'put'; prevKv?: KeyValue }
  | { op: 'delete'; deleted: number; prevKvs: KeyValue[] }
  | ({ op: 'range' } & RangeResult)
  | ({ op: 'txn' } & TxnResult);

export interface TxnResult {
  /** The revision after the transaction; unchanged when it wrote nothing. */
  revision: number;
  succeeded: boolean;
  responses: TxnOperationResult[];
}

export interface WatchRequest {
  key: string;
  rangeEnd?: string;
  startRevision?: number;
  prevKv?: boolean;
  /** Deliver empty batches periodically with the revision that the watch has reached. */
  progressNotify?: boolean;
  filters?: readonly ('noput' | 'nodelete')[];
}

export type WatchEvent =
  | { type: 'put'; kv: KeyValue; prevKv?: KeyValue }
  /** `kv` has only the key and, as modRevision, the revision of the deletion. */
  | { type: 'delete'; kv: KeyValue; prevKv?: KeyValue };

export interface WatchBatch {
  /** Every event of the watched range up to this revision has been delivered with or before this batch. */
  revision: number;
  events: WatchEvent[];
}

/** An iterable of batches. The batches of a slow reader stay in the store's history and need no memory of their own. */
export interface Watch extends AsyncIterable<WatchBatch> {
  /** Requests an empty batch with the current revision when the watch has caught up. */
  requestProgress(): void;
  cancel(): void;
}

export interface LeaseStatus {
  id: bigint;
  /** Remaining seconds; -1 when the lease does not exist. */
  ttl: number;
  grantedTtl: number;
  keys: string[];
}

export interface Alarm {
  memberId: bigint;
  alarm: 'nospace' | 'corrupt';
}

export interface StoreStatus {
  version: string;
  /** Bytes of the file, and of what is in use within it. */
  dbSize: number;
  dbSizeInUse: number;
  revision: number;
  compactRevision: number;
  memberId: bigint;
  clusterId: bigint;
  leader: bigint;
  raftTerm: bigint;
  raftIndex: bigint;
  errors: string[];
}

/** Errors that callers distinguish by `code`; the gRPC front maps them to etcd's own codes and messages. */
export class StoreError extends Error {
  constructor(
    readonly code:
      | 'compacted'
      | 'future-revision'
      | 'lease-not-found'
      | 'lease-exists'
      | 'lease-ttl-too-large'
      | 'key-not-found'
      | 'empty-key'
      | 'value-provided'
      | 'lease-provided'
      | 'duplicate-key'
      | 'too-many-operations'
      | 'request-too-large'
      | 'invalid-range'
      | 'invalid-sort'
      | 'no-space'
      | 'corrupt'
      | 'unavailable'
      | 'timeout'
      | 'closed'
      | 'unsupported',
    message: string,
    /** For 'compacted': the oldest revision that can still be read. */
    readonly compactRevision = 0,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StoreError';
  }
}

/** The range that holds every key with this prefix. */
export function prefixRange(prefix: string): { key: string; rangeEnd: string } {
  for (let i = prefix.length - 1; i >= 0; i--) {
    const unit = prefix.charCodeAt(i);
    if (unit < 0xff) return { key: prefix, rangeEnd: prefix.slice(0, i) + String.fromCharCode(unit + 1) };
  }
  return { key: prefix === '' ? '\0' : prefix, rangeEnd: '\0' };
}
