import { compactRevisionOf, leasesOf, revisionsOf, type Revision } from '../bbolt/etcd-snapshot.ts';
import { BboltDatabase } from '../bbolt/read-database.ts';
/** Makes a store's file from a snapshot of etcd. */
import { identityOf } from '../embedded/generations.ts';
import { leaseKey, pairBytes, writePair } from '../embedded/records.ts';
import { atomically, MAX_KEY_BYTES, openTables, putFact, SCHEMA_VERSION, type Tables } from '../embedded/tables.ts';
import { putLease } from '../embedded/write-commits.ts';
import { StoreError } from '../store.ts';

const REVISIONS_PER_TRANSACTION = 1000;

/** Keys keep their revisions and versions. History is not kept: the store begins compacted at its revision. */
export async function importEtcdSnapshot(
  path: string,
  target: string,
): Promise<{ revision: number; totalKeys: number }> {
  const database = new BboltDatabase(path);
  const tables = openTables(target);
  try {
    let revision = Math.max(1, compactRevisionOf(database));
    const keys = new Map<string, bigint>();
    for (const batch of batchesOf(revisionsOf(database))) {
      await atomically(tables, () => {
        for (const each of batch) {
          revision = Math.max(revision, each.revision);
          apply(tables, keys, each);
        }
      });
    }
    await atomically(tables, () => {
      for (const [key, lease] of keys) if (lease !== 0n) tables.leaseKeys.put(leaseKey(lease) + key, Buffer.of(1));
      for (const { id, ttl } of leasesOf(database)) putLease(tables, id, ttl);
      putFact(tables, 'schema', SCHEMA_VERSION);
      putFact(tables, 'generation', 1);
      putFact(tables, 'revision', revision);
      putFact(tables, 'compactRevision', revision);
      const { memberId, clusterId } = identityOf('default', target, revision);
      putFact(tables, 'memberId', memberId);
      putFact(tables, 'clusterId', clusterId);
    });
    return { revision, totalKeys: keys.size };
  } finally {
    database.close();
    await tables.environment.close();
  }
}

function apply(tables: Tables, keys: Map<string, bigint>, each: Revision): void {
  if (each.type === 'delete') {
    keys.delete(each.key);
    tables.pairs.remove(each.key);
    return;
  }
  const { kv } = each;
  if (kv.key.length > MAX_KEY_BYTES)
    throw new StoreError(
      'unsupported',
      `a key of ${kv.key.length} bytes: k8ts etcd stores keys of at most ${MAX_KEY_BYTES}`,
    );
  const record = Buffer.alloc(pairBytes(kv));
  writePair(kv, record, 0);
  keys.set(kv.key, kv.lease);
  tables.pairs.put(kv.key, record);
}

function* batchesOf<T>(items: Iterable<T>): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < REVISIONS_PER_TRANSACTION) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
