import { failure } from './errors.ts';
import { bytesOfValue, type RangeRequest, type TxnOperation, type TxnRequest } from './store.ts';
import { type Selection, selection, selects } from './view.ts';

export interface RequestLimits {
  maxTxnOperations: number;
  maxRequestBytes: number;
}

/** The limits of an etcd that was started without flags. */
export const defaultLimits: RequestLimits = { maxTxnOperations: 128, maxRequestBytes: 1.5 * 1024 * 1024 };

const sortTargets: readonly unknown[] = ['key', 'version', 'create', 'mod', 'value'];
const sortOrders: readonly unknown[] = ['ascend', 'descend'];

export function checkRange(request: RangeRequest): void {
  if (request.key === '') throw failure('empty-key');
  const { sort } = request;
  if (sort !== undefined && !(sortTargets.includes(sort.target) && sortOrders.includes(sort.order))) {
    throw failure('invalid-sort');
  }
}

/** Everything about a transaction that can be refused without looking at the stored state. */
export function checkTxn(request: TxnRequest, limits: RequestLimits = defaultLimits): void {
  checkOperations(request, limits.maxTxnOperations);
  checkOverlaps(request.success);
  checkOverlaps(request.failure);
  if (payloadBytes(request) > limits.maxRequestBytes) throw failure('request-too-large');
}

function checkOperations(request: TxnRequest, budget: number): void {
  const { compare = [], success = [], failure: otherwise = [] } = request;
  const operations = Math.max(compare.length, success.length, otherwise.length);
  if (operations > budget) throw failure('too-many-operations');
  for (const { key } of compare) if (key === '') throw failure('empty-key');
  for (const operation of success) checkOperation(operation, budget - operations);
  for (const operation of otherwise) checkOperation(operation, budget - operations);
}

function checkOperation(operation: TxnOperation, budget: number): void {
  switch (operation.op) {
    case 'range':
      return checkRange(operation);
    case 'txn':
      return checkOperations(operation, budget);
    case 'delete':
      if (operation.key === '') throw failure('empty-key');
      return;
    case 'put':
      if (operation.key === '') throw failure('empty-key');
      if (operation.ignoreValue && bytesOfValue(operation.value).length > 0) throw failure('value-provided');
      if (operation.ignoreLease && operation.lease !== undefined && operation.lease !== 0n)
        throw failure('lease-provided');
  }
}

interface Written {
  puts: Set<string>;
  deletes: Selection[];
}

/**
 * A transaction may write a key once: no two puts of it, no put of it within a deleted range. The two branches of a
 * nested transaction exclude each other, so the same key may be put in both.
 */
function checkOverlaps(operations: readonly TxnOperation[] | undefined): Written {
  const written: Written = { puts: new Set(), deletes: [] };
  if (operations === undefined) return written;
  if (operations.length === 1 && operations[0]!.op === 'put') {
    written.puts.add(operations[0]!.key);
    return written;
  }
  for (const operation of operations) {
    if (operation.op === 'delete') written.deletes.push(selection(operation.key, operation.rangeEnd));
  }
  for (const operation of operations) {
    if (operation.op !== 'txn') continue;
    const then = checkOverlaps(operation.success);
    const otherwise = checkOverlaps(operation.failure);
    for (const key of then.puts) addPut(written, key);
    for (const key of otherwise.puts) if (!then.puts.has(key)) addPut(written, key);
    written.deletes.push(...then.deletes, ...otherwise.deletes);
  }
  for (const operation of operations) if (operation.op === 'put') addPut(written, operation.key);
  return written;
}

function addPut(written: Written, key: string): void {
  if (written.puts.has(key) || written.deletes.some((range) => selects(range, key))) throw failure('duplicate-key');
  written.puts.add(key);
}

function payloadBytes(request: TxnRequest): number {
  let bytes = 0;
  for (const branch of [request.success, request.failure]) {
    if (branch === undefined) continue;
    for (const operation of branch) {
      if (operation.op === 'put') bytes += operation.key.length + bytesOfValue(operation.value).length;
      else if (operation.op === 'txn') bytes += payloadBytes(operation);
    }
  }
  return bytes;
}
