import type { KeyValue, RangeRequest, RangeResult } from './store.ts';
import { type Selection, selection, type View, visitSelection } from './view.ts';

/** Answers a range request from a view. `revision` is the store's current one, which every answer carries. */
export function readRange(view: View, request: RangeRequest, revision: number): RangeResult {
  const selected = selection(request.key, request.rangeEnd);
  if (request.countOnly) return { revision, kvs: [], count: countSelection(view, selected), more: false };

  const limit = request.limit !== undefined && request.limit > 0 ? request.limit : Infinity;
  const reordered = request.sort !== undefined && !(request.sort.target === 'key' && request.sort.order === 'ascend');
  // Sorting and filtering come before the limit, so they need every pair.
  const wanted = reordered || filters(request) ? Infinity : limit;
  let kvs: KeyValue[] = [];
  let complete = true;
  const visit = (kv: KeyValue): boolean => {
    if (kvs.length >= wanted) {
      complete = false;
      return false;
    }
    kvs.push(kv);
    return true;
  };
  visitSelection(view, selected, visit, request.isSweep);
  const count = complete || request.isSweep ? kvs.length : countSelection(view, selected);

  if (filters(request)) kvs = kvs.filter((kv) => passes(kv, request));
  if (reordered && request.sort !== undefined) kvs.sort(comparator(request.sort));
  const more = !complete || kvs.length > limit;
  if (kvs.length > limit) kvs.length = limit;
  if (request.keysOnly)
    kvs = kvs.map(({ key, createRevision, modRevision, version, lease }) => ({
      key,
      value: noBytes,
      createRevision,
      modRevision,
      version,
      lease,
    }));
  return { revision, kvs, count, more };
}

const noBytes = new Uint8Array(0);

function countSelection(view: View, selected: Selection): number {
  if (selected.single !== undefined) return view.get(selected.single) === undefined ? 0 : 1;
  return view.count(selected.start, selected.end);
}

function filters(request: RangeRequest): boolean {
  return Boolean(
    request.minModRevision || request.maxModRevision || request.minCreateRevision || request.maxCreateRevision,
  );
}

function passes(kv: KeyValue, request: RangeRequest): boolean {
  if (request.minModRevision && kv.modRevision < request.minModRevision) return false;
  if (request.maxModRevision && kv.modRevision > request.maxModRevision) return false;
  if (request.minCreateRevision && kv.createRevision < request.minCreateRevision) return false;
  return !(request.maxCreateRevision && kv.createRevision > request.maxCreateRevision);
}

function comparator(sort: NonNullable<RangeRequest['sort']>): (a: KeyValue, b: KeyValue) => number {
  const compare = ascending[sort.target];
  return sort.order === 'ascend' ? compare : (a, b) => compare(b, a);
}

const ascending: Record<NonNullable<RangeRequest['sort']>['target'], (a: KeyValue, b: KeyValue) => number> = {
  key: (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
  version: (a, b) => a.version - b.version,
  create: (a, b) => a.createRevision - b.createRevision,
  mod: (a, b) => a.modRevision - b.modRevision,
  value: (a, b) => Buffer.compare(a.value, b.value),
};
