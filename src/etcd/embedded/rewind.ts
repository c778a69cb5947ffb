/** Undoes the newest revisions of a store's file that nobody has open: the log has what each change replaced. */
import { failure } from '../errors.ts';
import type { KeyValue } from '../store.ts';
import { copyOut, leaseKey, logKey, pairBytes, readLog, readPair, writePair } from './records.ts';
import { atomically, putFact, readFact, type Tables } from './tables.ts';
import { putLease } from './write-commits.ts';

/** Of leases that have expired since: events live for an hour. */
const RESTORED_LEASE_SECONDS = 3600;
const PRESENT = Buffer.of(1);

/** The file is as it was at `revision`, history before it included. */
export async function rewind(tables: Tables, revision: number): Promise<void> {
  const newest = Number(readFact(tables, 'revision') ?? 1n);
  const compactRevision = Number(readFact(tables, 'compactRevision') ?? 0n);
  if (revision > newest) throw failure('future-revision');
  if (revision < Math.max(1, compactRevision)) throw failure('compacted', { compactRevision });
  // The entries of one key are put in order: what its oldest change replaced is what it was.
  const before = new Map<string, KeyValue | undefined>();
  const undone: string[] = [];
  for (const { key, value } of tables.log.getRange({ start: logKey(revision + 1, 0), end: logKey(newest + 1, 0) })) {
    undone.push(key);
    const entry = readLog(value);
    if (!before.has(entry.key)) before.set(entry.key, entry.prevKv);
  }
  await atomically(tables, () => {
    for (const [key, kv] of before) restore(tables, key, kv);
    for (const key of undone) tables.log.remove(key);
    putFact(tables, 'revision', revision);
  });
}

function restore(tables: Tables, key: string, kv: KeyValue | undefined): void {
  const present = tables.pairs.get(key);
  const lease = present === undefined ? 0n : readPair(key, present, copyOut).lease;
  if (lease !== 0n) tables.leaseKeys.remove(leaseKey(lease) + key);
  if (kv === undefined) {
    tables.pairs.remove(key);
    return;
  }
  const record = Buffer.allocUnsafeSlow(pairBytes(kv));
  writePair(kv, record, 0);
  tables.pairs.put(key, record);
  if (kv.lease === 0n) return;
  tables.leaseKeys.put(leaseKey(kv.lease) + key, PRESENT);
  if (tables.leases.get(leaseKey(kv.lease)) === undefined) putLease(tables, kv.lease, RESTORED_LEASE_SECONDS);
}
