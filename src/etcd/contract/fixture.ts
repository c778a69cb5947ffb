import { expect } from 'vitest';
import { type KeyValue, type Store, StoreError, type Watch, type WatchBatch, type WatchEvent } from '../store.ts';

/** A backend under test. Tests share one store, so each keeps to its own key prefix and counts revisions relatively. */
export interface ContractFixture {
  store: Store;
  /** Lets time pass for the store, on its virtual or real clock. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface ContractTarget {
  open(): Promise<ContractFixture>;
  /** Set when the backend cannot run here: the whole suite is skipped with this reason. */
  skip?: string;
  /** Set for a backend whose compaction drops a deletion at the very revision that it keeps, as etcd's before 3.5. */
  dropsDeletionAtCompaction?: string | undefined;
}

export type UseStore = () => ContractFixture;

export const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
export const text = (value: Uint8Array): string => Buffer.from(value).toString('latin1');

let prefixes = 0;
/** A key prefix that no other test uses. */
export function ownPrefix(): string {
  return `/contract/${process.pid}/${++prefixes}/`;
}

export async function put(store: Store, key: string, value = 'v', lease?: bigint): Promise<number> {
  const { revision } = await store.txn({ success: [{ op: 'put', key, value: bytes(value), lease }] });
  return revision;
}

export async function remove(
  store: Store,
  key: string,
  rangeEnd?: string,
): Promise<{ revision: number; deleted: number }> {
  const result = await store.txn({ success: [{ op: 'delete', key, rangeEnd }] });
  const response = result.responses[0];
  return { revision: result.revision, deleted: response?.op === 'delete' ? response.deleted : NaN };
}

export async function get(store: Store, key: string): Promise<KeyValue | undefined> {
  return (await store.range({ key })).kvs[0];
}

export async function failureCode(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    return (error as StoreError).code;
  }
  return 'no failure';
}

/** Resolves when the store has begun the watch: it answers the request for progress after that. */
export async function untilWatching(watch: Watch): Promise<void> {
  const first = watch[Symbol.asyncIterator]().next();
  watch.requestProgress();
  await first;
}

/** Reads a watch until it has given `count` events. */
export async function takeEvents(watch: AsyncIterable<WatchBatch>, count: number): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  const iterator = watch[Symbol.asyncIterator]();
  while (events.length < count) {
    const { done, value } = await iterator.next();
    if (done) break;
    events.push(...value.events);
  }
  return events;
}

/** An event in one line: `put key=value @revision`. */
export function brief(prefix: string): (event: WatchEvent) => string {
  return ({ type, kv }) => {
    const key = kv.key.startsWith(prefix) ? kv.key.slice(prefix.length) : kv.key;
    return type === 'put' ? `put ${key}=${text(kv.value)}` : `delete ${key}`;
  };
}
