import type { Commit } from '../engine.ts';
import type { KeyValue } from '../store.ts';
import { leaseKey, logBytes, logKey, pairBytes, writeLog, writePair } from './records.ts';
import { putFact, type Tables } from './tables.ts';

const present = Buffer.from([1]);

/** What the tables get of a commit. */
export type WrittenCommit = Pick<Commit, 'record' | 'leaseGranted' | 'leaseRevoked'>;

/** Puts a group of commits into the current transaction. */
export function writeCommits(tables: Tables, commits: readonly WrittenCommit[]): void {
  const newest = new Map<string, KeyValue | undefined>();
  let bytes = 0;
  let revision: number | undefined;
  for (const { record } of commits) {
    if (record === undefined) continue;
    revision = record.revision;
    for (const change of record.changes) {
      newest.set(change.kv.key, change.type === 'put' ? change.kv : undefined);
      bytes += logBytes(change);
    }
  }
  for (const kv of newest.values()) if (kv !== undefined) bytes += pairBytes(kv);
  // One buffer for the whole group, which LMDB's thread reads.
  const memory = Buffer.allocUnsafeSlow(bytes);
  let offset = writePairs(tables, newest, memory);
  for (const commit of commits) offset = writeRecord(tables, commit, memory, offset);
  if (revision !== undefined) putFact(tables, 'revision', revision);
}

/** A key that several commits of the group wrote is written once, with its last value. */
function writePairs(tables: Tables, newest: Map<string, KeyValue | undefined>, memory: Buffer): number {
  let offset = 0;
  for (const [key, kv] of newest) {
    if (kv === undefined) {
      tables.pairs.remove(key);
      continue;
    }
    const end = writePair(kv, memory, offset);
    tables.pairs.put(key, memory.subarray(offset, end));
    offset = end;
  }
  return offset;
}

function writeRecord(tables: Tables, commit: WrittenCommit, memory: Buffer, start: number): number {
  let offset = start;
  if (commit.leaseGranted !== undefined) putLease(tables, commit.leaseGranted.id, commit.leaseGranted.ttl);
  commit.record?.changes.forEach((change, number) => {
    const end = writeLog(change, memory, offset);
    tables.log.put(logKey(commit.record!.revision, number), memory.subarray(offset, end));
    offset = end;
    const { kv, prevKv } = change;
    const before = prevKv?.lease ?? 0n;
    if (before === kv.lease) return;
    if (before !== 0n) tables.leaseKeys.remove(leaseKey(before) + kv.key);
    if (kv.lease !== 0n) tables.leaseKeys.put(leaseKey(kv.lease) + kv.key, present);
  });
  if (commit.leaseRevoked !== undefined) tables.leases.remove(leaseKey(commit.leaseRevoked));
  return offset;
}

export function putLease(tables: Tables, id: bigint, ttl: number): void {
  const bytes = Buffer.allocUnsafeSlow(8);
  bytes.writeDoubleLE(ttl);
  tables.leases.put(leaseKey(id), bytes);
}
