import type { Change, Put, TxnEnvironment } from './apply-txn.ts';
import { failure } from './errors.ts';
import type { KeyValue, LazyValue, TxnRequest, TxnResult } from './store.ts';

/**
 * A put of one key, compared against its revision: the transaction of every API server write; or compared with nothing, as in
 * etcd's Put. The plain counterpart is `applyTxn`. Pays for the bench rows `POST ConfigMap`, `POST Pod` and `put 1 KB`.
 */
interface SinglePut {
  readonly put: Put;
  /** The expected mod revision of the key; 0 when the key must not exist, undefined when it may have any. */
  readonly over: number | undefined;
}

export function singlePutOf({ compare, success, failure: otherwise }: TxnRequest): SinglePut | undefined {
  if (success?.length !== 1 || (otherwise !== undefined && otherwise.length > 0)) return undefined;
  const [put] = success;
  if (put!.op !== 'put' || put!.key === '' || put!.ignoreValue || put!.ignoreLease || put!.prevKv) return undefined;
  if (compare === undefined || compare.length === 0) return { put: put!, over: undefined };
  const [condition] = compare;
  if (compare.length > 1 || condition!.target !== 'mod' || condition!.result !== 'equal' || condition!.rangeEnd)
    return undefined;
  return condition!.key === put!.key ? { put: put!, over: condition!.value } : undefined;
}

/** As `applyTxn`, without its general checks and lists. */
export function applySinglePut(
  { put, over }: SinglePut,
  environment: TxnEnvironment,
): { result: TxnResult; changes: Change[] } {
  const { draft, revision } = environment;
  const previous = draft.get(put.key);
  if (over !== undefined && (previous?.modRevision ?? 0) !== over)
    return { result: { revision, succeeded: false, responses: [] }, changes: [] };
  if (put.lease && !environment.leaseExists(put.lease)) throw failure('lease-not-found');
  const { key, value, lease = 0n } = put;
  const modRevision = revision + 1;
  const createRevision = previous?.createRevision ?? modRevision;
  const version = (previous?.version ?? 0) + 1;
  const kv: KeyValue =
    value instanceof Uint8Array
      ? { key, value, createRevision, modRevision, version, lease }
      : new LazyKeyValue(key, value, createRevision, modRevision, version, lease);
  draft.write(put.key, kv);
  return {
    result: { revision: revision + 1, succeeded: true, responses: [{ op: 'put' }] },
    changes: [{ type: 'put', kv, prevKv: previous }],
  };
}

/** A class, because V8 keeps an object literal with a getter in dictionary mode: six times as large, and slow. */
class LazyKeyValue implements KeyValue {
  constructor(
    readonly key: string,
    readonly lazyValue: LazyValue,
    readonly createRevision: number,
    readonly modRevision: number,
    readonly version: number,
    readonly lease: bigint,
  ) {}

  get value(): Uint8Array {
    return this.lazyValue.bytes();
  }
}
