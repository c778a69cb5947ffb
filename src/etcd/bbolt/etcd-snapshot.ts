/**
 * Snapshots as etcd's own: a bbolt file and its SHA-256. The bucket `key` has each revision of a key; ours holds the newest of
 * each, and says that everything before is compacted. etcdutl restores it.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError, type KeyValue, type Store } from '../store.ts';
import { message, number, signedId } from '../wire/message.ts';
import { KeyValue as KeyValueMessage } from '../wire/messages.ts';
import type { BboltDatabase } from './read-database.ts';
import { BboltWriter, type Pair } from './write-database.ts';

const KEYS_PER_PAGE = 1000;
const CHUNK_BYTES = 256 * 1024;
/** A revision is main(8) `_` sub(8), and `t` behind it for a deletion. */
const REVISION_BYTES = 17;
const SEPARATOR = '_'.charCodeAt(0);

const Lease = message('Lease', { id: signedId(1), ttl: number(2) });

/** The snapshot of a store; a folder within `directory` holds the file until it has been read. */
export async function* etcdSnapshot(store: Store, directory: string): AsyncIterable<Uint8Array> {
  const folder = await mkdtemp(join(directory, 'snapshot-'));
  try {
    const path = join(folder, 'db');
    await writeSnapshotFile(store, path);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
      const bytes: Buffer = chunk;
      hash.update(bytes);
      yield bytes;
    }
    yield hash.digest();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeSnapshotFile(store: Store, path: string): Promise<void> {
  const revision = await store.revision();
  const file = await open(path, 'w', 0o600);
  try {
    const writer = new BboltWriter(file);
    for (const name of ['alarm', 'auth', 'authRoles', 'authUsers', 'cluster']) await writer.bucket(name, []);
    await writer.bucket('key', pairsByRevision(store, revision));
    await writer.bucket('lease', await leasePairs(store));
    for (const name of ['members', 'members_removed']) await writer.bucket(name, []);
    await writer.bucket('meta', [
      { key: Buffer.from('consistent_index'), value: bigEndian(1) },
      { key: Buffer.from('finishedCompactRev'), value: revisionBytes(revision, 0) },
      { key: Buffer.from('scheduledCompactRev'), value: revisionBytes(revision, 0) },
      { key: Buffer.from('term'), value: bigEndian(1) },
    ]);
    await writer.finish();
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The newest pair of each key at `revision`, in the order in which they were written. */
async function* pairsByRevision(store: Store, revision: number): AsyncIterable<Pair> {
  const keys: { readonly key: string; readonly modRevision: number }[] = [];
  for (let from = '\0', more = true; more;) {
    const page = await store.range({ key: from, rangeEnd: '\0', revision, limit: KEYS_PER_PAGE, keysOnly: true });
    for (const { key, modRevision } of page.kvs) keys.push({ key, modRevision });
    more = page.more;
    from = `${keys.at(-1)?.key}\0`;
  }
  // Sorting keeps the order of keys that one transaction wrote.
  keys.sort((a, b) => a.modRevision - b.modRevision);
  let [main, sub] = [0, 0];
  for (const { key, modRevision } of keys) {
    const { kvs } = await store.range({ key, revision });
    const [kv] = kvs;
    if (!kv) throw new StoreError('corrupt', `the key ${JSON.stringify(key)} is gone at revision ${revision}`);
    sub = modRevision === main ? sub + 1 : 0;
    main = modRevision;
    yield { key: revisionBytes(main, sub), value: KeyValueMessage.encode(kv) };
  }
}

async function leasePairs(store: Store): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const id of await store.leases()) {
    const { grantedTtl } = await store.leaseTimeToLive(id);
    if (grantedTtl <= 0) continue;
    const key = Buffer.alloc(8);
    key.writeBigInt64BE(id);
    pairs.push({ key, value: Lease.encode({ id, ttl: grantedTtl }) });
  }
  return pairs.sort((a, b) => Buffer.compare(a.key, b.key));
}

/** What one entry of the bucket `key` did. */
export type Revision =
  | { readonly type: 'put'; readonly revision: number; readonly kv: KeyValue }
  | { readonly type: 'delete'; readonly revision: number; readonly key: string };

/** All revisions in a snapshot of etcd, the oldest first. */
export function* revisionsOf(database: BboltDatabase): Generator<Revision> {
  for (const { key: name, value } of database.bucket('key')) {
    if (name.length < REVISION_BYTES || name[8] !== SEPARATOR) throw database.corrupt('a key is not a revision');
    const revision = Number(name.readBigUInt64BE(0));
    const { key, ...kv } = KeyValueMessage.decode(value);
    if (name.length > REVISION_BYTES) yield { type: 'delete', revision, key };
    else yield { type: 'put', revision, kv: { key, ...kv } };
  }
}

export function* leasesOf(database: BboltDatabase): Generator<{ id: bigint; ttl: number }> {
  for (const { value } of database.bucket('lease')) yield Lease.decode(value);
}

/** The revision up to which history is compacted; it may be newer than any key, where the last ones were deleted. */
export function compactRevisionOf(database: BboltDatabase): number {
  for (const { key, value } of database.bucket('meta'))
    if (key.toString() === 'finishedCompactRev' && value.length >= REVISION_BYTES)
      return Number(value.readBigUInt64BE(0));
  return 0;
}

function revisionBytes(main: number, sub: number): Buffer {
  return Buffer.concat([bigEndian(main), Buffer.of(SEPARATOR), bigEndian(sub)]);
}

function bigEndian(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
