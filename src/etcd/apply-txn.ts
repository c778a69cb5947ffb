import { failure } from './errors.ts';
import { readRange } from './read-range.ts';
import {
  bytesOfValue,
  type Compare,
  type KeyValue,
  type RangeRequest,
  type TxnOperation,
  type TxnOperationResult,
  type TxnRequest,
  type TxnResult,
} from './store.ts';
import { selection, type View, visitSelection } from './view.ts';

/** A change that a transaction made, with the pair that it replaced: history consists of these. */
export interface Change {
  readonly type: 'put' | 'delete';
  readonly kv: KeyValue;
  readonly prevKv: KeyValue | undefined;
}

/** The newest state with this transaction's own writes on top. */
export interface Draft extends View {
  write(key: string, kv: KeyValue | undefined): void;
}

export interface TxnEnvironment {
  draft: Draft;
  /** The newest revision before this transaction. */
  revision: number;
  leaseExists(id: bigint): boolean;
  /** The state at an older revision; throws 'compacted' or 'future-revision'. */
  viewAt(revision: number): View;
}

const noBytes = new Uint8Array(0);

/**
 * Applies a request that passed `checkTxn`. Everything that can fail is checked before the first write, so a
 * transaction that throws has written nothing.
 */
export function applyTxn(request: TxnRequest, environment: TxnEnvironment): { result: TxnResult; changes: Change[] } {
  const changes: Change[] = [];
  const path = choosePath(request, environment.draft);
  checkPath(path, environment);
  return { result: applyPath(path, environment, changes), changes };
}

/** Which branch each (nested) transaction takes: decided on the state before the first write, as etcd does. */
interface Path {
  succeeded: boolean;
  operations: readonly TxnOperation[];
  nested: Path[];
}

const noOperations: readonly TxnOperation[] = [];

function choosePath(request: TxnRequest, view: View): Path {
  const succeeded = request.compare === undefined || request.compare.every((compare) => holds(compare, view));
  const operations = (succeeded ? request.success : request.failure) ?? noOperations;
  const nested: Path[] = [];
  for (const operation of operations) if (operation.op === 'txn') nested.push(choosePath(operation, view));
  return { succeeded, operations, nested };
}

function holds(compare: Compare, view: View): boolean {
  const selected = selection(compare.key, compare.rangeEnd);
  let found = false;
  let all = true;
  visitSelection(view, selected, (kv) => {
    found = true;
    all = holdsFor(compare, kv);
    return all;
  });
  return found ? all : compare.target !== 'value' && holdsFor(compare, undefined);
}

function holdsFor(compare: Compare, kv: KeyValue | undefined): boolean {
  const order = orderOf(compare, kv);
  switch (compare.result) {
    case 'equal':
      return order === 0;
    case 'not-equal':
      return order !== 0;
    case 'greater':
      return order > 0;
    case 'less':
      return order < 0;
  }
}

function orderOf(compare: Compare, kv: KeyValue | undefined): number {
  switch (compare.target) {
    case 'mod':
      return (kv?.modRevision ?? 0) - compare.value;
    case 'create':
      return (kv?.createRevision ?? 0) - compare.value;
    case 'version':
      return (kv?.version ?? 0) - compare.value;
    case 'value':
      return Buffer.compare(kv?.value ?? noBytes, compare.value);
    case 'lease': {
      const lease = kv?.lease ?? 0n;
      return lease < compare.value ? -1 : lease > compare.value ? 1 : 0;
    }
  }
}

function checkPath(path: Path, environment: TxnEnvironment): void {
  let nested = 0;
  for (const operation of path.operations) {
    if (operation.op === 'txn') checkPath(path.nested[nested++]!, environment);
    else if (operation.op === 'range') {
      if (operation.revision) environment.viewAt(operation.revision);
    } else if (operation.op === 'put') {
      const needsPrevious = operation.ignoreValue || operation.ignoreLease;
      if (needsPrevious && environment.draft.get(operation.key) === undefined) throw failure('key-not-found');
      if (operation.lease && !environment.leaseExists(operation.lease)) throw failure('lease-not-found');
    }
  }
}

function applyPath(path: Path, environment: TxnEnvironment, changes: Change[]): TxnResult {
  const responses: TxnOperationResult[] = [];
  let nested = 0;
  for (const operation of path.operations) {
    switch (operation.op) {
      case 'put':
        responses.push(applyPut(operation, environment, changes));
        break;
      case 'delete':
        responses.push(applyDelete(operation, environment, changes));
        break;
      case 'range':
        responses.push({ op: 'range', ...applyRange(operation, environment, changes) });
        break;
      case 'txn':
        responses.push({ op: 'txn', ...applyPath(path.nested[nested++]!, environment, changes) });
    }
  }
  return { revision: revisionNow(environment, changes), succeeded: path.succeeded, responses };
}

function revisionNow(environment: TxnEnvironment, changes: readonly Change[]): number {
  return changes.length === 0 ? environment.revision : environment.revision + 1;
}

export type Put = Extract<TxnOperation, { op: 'put' }>;
type Delete = Extract<TxnOperation, { op: 'delete' }>;

function applyPut(put: Put, { draft, revision }: TxnEnvironment, changes: Change[]): TxnOperationResult {
  const previous = draft.get(put.key);
  const kv: KeyValue = {
    key: put.key,
    value: put.ignoreValue && previous !== undefined ? previous.value : bytesOfValue(put.value),
    createRevision: previous?.createRevision ?? revision + 1,
    modRevision: revision + 1,
    version: (previous?.version ?? 0) + 1,
    lease: put.ignoreLease && previous !== undefined ? previous.lease : (put.lease ?? 0n),
  };
  draft.write(put.key, kv);
  changes.push({ type: 'put', kv, prevKv: previous });
  return put.prevKv && previous !== undefined ? { op: 'put', prevKv: previous } : { op: 'put' };
}

function applyDelete(request: Delete, { draft, revision }: TxnEnvironment, changes: Change[]): TxnOperationResult {
  const found: KeyValue[] = [];
  visitSelection(draft, selection(request.key, request.rangeEnd), (kv) => void found.push(kv));
  for (const previous of found) {
    draft.write(previous.key, undefined);
    changes.push({ type: 'delete', kv: tombstone(previous.key, revision + 1), prevKv: previous });
  }
  return { op: 'delete', deleted: found.length, prevKvs: request.prevKv ? found : [] };
}

export function tombstone(key: string, revision: number): KeyValue {
  return { key, value: noBytes, createRevision: 0, modRevision: revision, version: 0, lease: 0n };
}

function applyRange(request: RangeRequest, environment: TxnEnvironment, changes: readonly Change[]) {
  const revision = revisionNow(environment, changes);
  const old = request.revision !== undefined && request.revision > 0 && request.revision < revision;
  return readRange(old ? environment.viewAt(request.revision!) : environment.draft, request, revision);
}
