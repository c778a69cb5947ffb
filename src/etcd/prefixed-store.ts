/** A store whose keys have another prefix in the store behind it, such as /registry/ as --etcd-prefix asks for. */
import type {
  Compare,
  KeyValue,
  LeaseStatus,
  RangeRequest,
  RangeResult,
  Store,
  TxnOperation,
  TxnOperationResult,
  TxnRequest,
  TxnResult,
  Watch,
  WatchBatch,
  WatchRequest,
} from './store.ts';

interface Prefixes {
  /** The prefix of the callers' keys. Other keys stay as they are. */
  readonly from: string;
  readonly to: string;
}

export const prefixedStore = (store: Store, prefixes: Prefixes): Store =>
  prefixes.from === prefixes.to ? store : new PrefixedStore(store, prefixes);

/** The end of the range of all keys; as a request's end it means all keys from the first on. */
const EVERYTHING = '\0';

/** The first key after those with the prefix. */
const endOf = (prefix: string): string =>
  prefix === '' ? EVERYTHING : prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

interface KeyRange {
  readonly key: string;
  readonly rangeEnd?: string | undefined;
}

class PrefixedStore implements Store {
  readonly keepsValues: boolean | undefined;
  readonly isShared: boolean | undefined;
  readonly #store: Store;
  readonly #prefixes: Prefixes;

  constructor(store: Store, prefixes: Prefixes) {
    this.#store = store;
    this.#prefixes = prefixes;
    this.keepsValues = store.keepsValues;
    this.isShared = store.isShared;
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    return this.#rangeResult(await this.#store.range(this.#stored(request)));
  }

  async txn(request: TxnRequest): Promise<TxnResult> {
    return this.#txnResult(await this.#store.txn(this.#storedTxn(request)));
  }

  watch(request: WatchRequest): Watch {
    const watch = this.#store.watch(this.#stored(request));
    return {
      requestProgress: () => watch.requestProgress(),
      cancel: () => watch.cancel(),
      [Symbol.asyncIterator]: () => this.#batches(watch),
    };
  }

  async *#batches(watch: Watch): AsyncGenerator<WatchBatch> {
    for await (const { revision, events } of watch)
      yield {
        revision,
        events: events.map((event) => ({
          ...event,
          kv: this.#named(event.kv),
          ...(event.prevKv ? { prevKv: this.#named(event.prevKv) } : {}),
        })),
      };
  }

  async leaseTimeToLive(id: bigint, options?: { keys?: boolean }): Promise<LeaseStatus> {
    const status = await this.#store.leaseTimeToLive(id, options);
    return { ...status, keys: status.keys.map((key) => this.#name(key)) };
  }

  compact: Store['compact'] = (revision, options) => this.#store.compact(revision, options);
  revision: Store['revision'] = () => this.#store.revision();
  leaseGrant: Store['leaseGrant'] = (request) => this.#store.leaseGrant(request);
  leaseRevoke: Store['leaseRevoke'] = (id) => this.#store.leaseRevoke(id);
  leaseKeepAlive: Store['leaseKeepAlive'] = (id) => this.#store.leaseKeepAlive(id);
  leases: Store['leases'] = () => this.#store.leases();
  status: Store['status'] = () => this.#store.status();
  alarms: Store['alarms'] = () => this.#store.alarms();
  disarm: Store['disarm'] = (alarm) => this.#store.disarm(alarm);
  defragment: Store['defragment'] = () => this.#store.defragment();
  hash: Store['hash'] = (revision) => this.#store.hash(revision);
  snapshot: Store['snapshot'] = () => this.#store.snapshot();
  close: Store['close'] = () => this.#store.close();

  #stored<Request extends KeyRange>(request: Request): Request {
    const { from, to } = this.#prefixes;
    const { key, rangeEnd } = request;
    // The store refuses a request without a key.
    if (key === '' || !key.startsWith(from)) return request;
    const stored = { ...request, key: to + key.slice(from.length) };
    if (rangeEnd === undefined || rangeEnd === '') return stored;
    const end = rangeEnd.startsWith(from) && rangeEnd !== EVERYTHING ? to + rangeEnd.slice(from.length) : endOf(to);
    return { ...stored, rangeEnd: end };
  }

  #storedTxn({ compare, success, failure }: TxnRequest): TxnRequest {
    const operations = (list: TxnOperation[]): TxnOperation[] =>
      list.map((operation) =>
        operation.op === 'txn' ? { op: 'txn', ...this.#storedTxn(operation) } : this.#stored(operation),
      );
    return {
      ...(compare ? { compare: compare.map((one): Compare => this.#stored(one)) } : {}),
      ...(success ? { success: operations(success) } : {}),
      ...(failure ? { failure: operations(failure) } : {}),
    };
  }

  #name(key: string): string {
    const { from, to } = this.#prefixes;
    return key.startsWith(to) ? from + key.slice(to.length) : key;
  }

  #named = (pair: KeyValue): KeyValue => ({ ...pair, key: this.#name(pair.key) });

  #rangeResult<Result extends RangeResult>(result: Result): Result {
    return { ...result, kvs: result.kvs.map(this.#named) };
  }

  #txnResult<Result extends TxnResult>(result: Result): Result {
    return { ...result, responses: result.responses.map((response) => this.#response(response)) };
  }

  #response(response: TxnOperationResult): TxnOperationResult {
    switch (response.op) {
      case 'put':
        return response.prevKv ? { ...response, prevKv: this.#named(response.prevKv) } : response;
      case 'delete':
        return { ...response, prevKvs: response.prevKvs.map(this.#named) };
      case 'range':
        return this.#rangeResult(response);
      case 'txn':
        return this.#txnResult(response);
    }
  }
}
