import { allocateBytes } from '../../kernel/index.ts';
import { tombstone } from '../apply-txn.ts';
import { failure } from '../errors.ts';
import {
  bytesOfValue,
  type Alarm,
  type Compare,
  type RangeRequest,
  type TxnOperation,
  type TxnOperationResult,
  type TxnRequest,
  type TxnResult,
  type WatchEvent,
} from '../store.ts';
import type {
  CompareMessage,
  DeleteRangeRequestMessage,
  EventMessage,
  HeaderMessage,
  KeyValueMessage,
  PutRequestMessage,
  RangeRequestMessage,
  RequestOpMessage,
  ResponseOpMessage,
  TxnRequestMessage,
  TxnResponseMessage,
} from './messages.ts';

/** Converts between etcd's messages and the store's types. */
const sortOrders = ['none', 'ascend', 'descend'] as const;
const sortTargets = ['key', 'version', 'create', 'mod', 'value'] as const;
const compareResults = ['equal', 'greater', 'less', 'not-equal'] as const;
const compareTargets = ['version', 'create', 'mod', 'value', 'lease'] as const;
const alarms = ['none', 'nospace', 'corrupt'] as const;

export function rangeOfMessage(message: RangeRequestMessage): RangeRequest {
  const order = sortOrders[message.sortOrder];
  const target = sortTargets[message.sortTarget];
  if (order === undefined || target === undefined) throw failure('invalid-sort');
  const { key, rangeEnd, limit, revision, keysOnly, countOnly, serializable } = message;
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } = message;
  const request: RangeRequest = { key, rangeEnd, limit, revision, keysOnly, countOnly, serializable };
  if (minModRevision || maxModRevision || minCreateRevision || maxCreateRevision) {
    Object.assign(request, { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision });
  }
  if (order !== 'none') request.sort = { target, order };
  else if (target !== 'key') request.sort = { target, order: 'ascend' };
  return request;
}

export function messageOfRange(request: RangeRequest): Partial<RangeRequestMessage> {
  const { sort, ...rest } = request;
  if (sort === undefined) return rest;
  return { ...rest, sortOrder: sortOrders.indexOf(sort.order), sortTarget: sortTargets.indexOf(sort.target) };
}

/** Copies the value: the message is a view of a larger network buffer. */
export function putOfMessage({ key, value, lease, prevKv, ignoreValue, ignoreLease }: PutRequestMessage): TxnOperation {
  const own = allocateBytes(value.length);
  own.set(value);
  return { op: 'put', key, value: own, lease, prevKv, ignoreValue, ignoreLease };
}

export function deleteOfMessage({ key, rangeEnd, prevKv }: DeleteRangeRequestMessage): TxnOperation {
  return { op: 'delete', key, rangeEnd, prevKv };
}

export function txnOfMessage(message: TxnRequestMessage): TxnRequest {
  return {
    compare: message.compare.map(compareOfMessage).filter((compare) => compare !== undefined),
    success: message.success.map(operationOfMessage),
    failure: message.failure.map(operationOfMessage),
  };
}

function operationOfMessage(message: RequestOpMessage): TxnOperation {
  if (message.range !== undefined) return { op: 'range', ...rangeOfMessage(message.range) };
  if (message.put !== undefined) return putOfMessage(message.put);
  if (message.deleteRange !== undefined) return deleteOfMessage(message.deleteRange);
  if (message.txn !== undefined) return { op: 'txn', ...txnOfMessage(message.txn) };
  // etcd's answer to an operation of an unknown kind.
  throw failure('key-not-found');
}

/** In etcd, a comparison of an unknown kind is true. */
function compareOfMessage(message: CompareMessage): Compare | undefined {
  const result = compareResults[message.result];
  const target = compareTargets[message.target];
  if (result === undefined || target === undefined) return undefined;
  const common = { key: message.key, rangeEnd: message.rangeEnd, result };
  switch (target) {
    case 'version':
      return { ...common, target, value: message.version };
    case 'create':
      return { ...common, target, value: message.createRevision };
    case 'mod':
      return { ...common, target, value: message.modRevision };
    case 'value':
      return { ...common, target, value: message.value };
    case 'lease':
      return { ...common, target, value: message.lease };
  }
}

export function messageOfTxn(request: TxnRequest): TxnRequestMessage {
  return {
    compare: (request.compare ?? []).map(messageOfCompare),
    success: (request.success ?? []).map(messageOfOperation),
    failure: (request.failure ?? []).map(messageOfOperation),
  };
}

function messageOfOperation(operation: TxnOperation): RequestOpMessage {
  const message: Partial<Record<keyof RequestOpMessage, unknown>> = {};
  if (operation.op === 'range') message.range = messageOfRange(operation);
  else if (operation.op === 'put') message.put = { ...operation, value: bytesOfValue(operation.value) };
  else if (operation.op === 'delete') message.deleteRange = operation;
  else message.txn = messageOfTxn(operation);
  return message as RequestOpMessage;
}

function messageOfCompare(compare: Compare): CompareMessage {
  const fields: Record<string, unknown> = {
    key: compare.key,
    rangeEnd: compare.rangeEnd,
    result: compareResults.indexOf(compare.result),
    target: compareTargets.indexOf(compare.target),
  };
  const names = { version: 'version', create: 'createRevision', mod: 'modRevision', value: 'value', lease: 'lease' };
  fields[names[compare.target]] = compare.value;
  return fields as CompareMessage;
}

export function messageOfTxnResult(result: TxnResult, header: Partial<HeaderMessage>): TxnResponseMessage {
  return {
    header,
    succeeded: result.succeeded,
    responses: result.responses.map((r) => messageOfResult(r, result.revision)),
  };
}

function messageOfResult(result: TxnOperationResult, revision: number): Partial<ResponseOpMessage> {
  switch (result.op) {
    case 'put':
      return { put: { header: headerAt(revision), prevKv: result.prevKv } };
    case 'delete':
      return { deleteRange: { header: headerAt(revision), deleted: result.deleted, prevKvs: result.prevKvs } };
    case 'range':
      return { range: { header: headerAt(result.revision), kvs: result.kvs, more: result.more, count: result.count } };
    case 'txn':
      return { txn: messageOfTxnResult(result, headerAt(result.revision)) };
  }
}

function headerAt(revision: number): HeaderMessage {
  return { clusterId: 0n, memberId: 0n, revision, raftTerm: 0n };
}

export function txnResultOfMessage(message: TxnResponseMessage): TxnResult {
  return {
    revision: message.header?.revision ?? 0,
    succeeded: message.succeeded,
    responses: message.responses.map(resultOfMessage),
  };
}

function resultOfMessage({ range, put, deleteRange, txn }: Partial<ResponseOpMessage>): TxnOperationResult {
  if (range !== undefined) {
    return {
      op: 'range',
      revision: range.header?.revision ?? 0,
      kvs: range.kvs ?? [],
      count: range.count ?? 0,
      more: range.more ?? false,
    };
  }
  if (deleteRange !== undefined)
    return { op: 'delete', deleted: deleteRange.deleted ?? 0, prevKvs: deleteRange.prevKvs ?? [] };
  if (txn !== undefined) return { op: 'txn', ...txnResultOfMessage(txn) };
  return put?.prevKv === undefined ? { op: 'put' } : { op: 'put', prevKv: put.prevKv };
}

export function messageOfEvent(event: WatchEvent): EventMessage {
  const kv: KeyValueMessage = event.kv;
  return { type: event.type === 'put' ? 0 : 1, kv, prevKv: event.prevKv };
}

export function eventOfMessage(message: EventMessage): WatchEvent {
  const kv = message.kv ?? tombstone('', 0);
  const type = message.type === 0 ? 'put' : 'delete';
  return message.prevKv === undefined ? { type, kv } : { type, kv, prevKv: message.prevKv };
}

export function alarmOfMessage(message: { memberId: bigint; alarm: number }): Alarm | undefined {
  const alarm = alarms[message.alarm];
  return alarm === undefined || alarm === 'none' ? undefined : { memberId: message.memberId, alarm };
}

export function messageOfAlarm({ memberId, alarm }: Alarm): { memberId: bigint; alarm: number } {
  return { memberId, alarm: alarms.indexOf(alarm) };
}
