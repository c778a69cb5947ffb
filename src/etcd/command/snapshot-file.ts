import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, copyFile, mkdtemp, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeDirectoryDurably, renameDurably, syncDirectory } from '../../kernel/index.ts';
import { compactRevisionOf } from '../bbolt/etcd-snapshot.ts';
import { MAGIC } from '../bbolt/pages.ts';
import { BboltDatabase } from '../bbolt/read-database.ts';
import { generationPath } from '../embedded/generations.ts';
import { rewind } from '../embedded/rewind.ts';
import { atomically, checkSchema, openTables, putFact, readFact, type Tables, wholeTable } from '../embedded/tables.ts';
import { StoreError } from '../store.ts';
import { importEtcdSnapshot } from './import-etcd-snapshot.ts';

const HASH_BYTES = 32;
const HEAD_BYTES = 64;
const BOLT_MAGIC_OFFSET = 16;

export interface SnapshotStatus {
  hash: number;
  revision: number;
  totalKeys: number;
  totalSize: number;
}

/** Writes a store's snapshot to a file. The file gets its name when it is complete and verified. */
export async function saveSnapshot(snapshot: AsyncIterable<Uint8Array>, path: string): Promise<{ size: number }> {
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  let size = 0;
  try {
    for await (const chunk of snapshot) {
      await file.writeFile(chunk);
      size += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await checkIntegrity(part);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await renameDurably(part, path);
  return { size };
}

export async function snapshotStatus(path: string): Promise<SnapshotStatus> {
  await checkIntegrity(path);
  const { size } = await stat(path);
  if (await isEtcds(path)) return { ...etcdStatus(path), totalSize: size };
  return withCopy(path, dirname(path), async (tables) => {
    let hash = 0;
    let totalKeys = 0;
    for (const { key, value } of tables.pairs.getRange(wholeTable())) {
      hash = crc32(value, crc32(Buffer.from(key, 'latin1'), hash));
      totalKeys++;
    }
    return { hash, revision: Number(readFact(tables, 'revision')), totalKeys, totalSize: size };
  });
}

interface RestoreOptions {
  path: string;
  directory: string;
  skipHashCheck?: boolean;
  /** The state at an earlier revision, from the history of a snapshot of ours. */
  revision?: number;
}

/** Creates a data directory from a snapshot, ours or etcd's. The directory must be empty: nothing is ever overwritten. */
export async function restoreSnapshot({
  path,
  directory,
  skipHashCheck,
  revision,
}: RestoreOptions): Promise<SnapshotStatus> {
  if (!(await isEmpty(directory)))
    throw new StoreError('unsupported', `data-dir ${JSON.stringify(directory)} not empty or could not be read`);
  if (!skipHashCheck) await checkIntegrity(path);
  if (revision !== undefined && (await isEtcds(path)))
    throw new StoreError('unsupported', 'a snapshot of etcd is restored as it is, without its history');
  const { size } = await stat(path);
  const parent = dirname(directory);
  makeDirectoryDurably(parent, 0o700);
  const building = await mkdtemp(join(parent, `.${basename(directory)}-`));
  try {
    const target = generationPath(building, 1);
    const status = (await isEtcds(path))
      ? { hash: 0, totalSize: size, ...(await importEtcdSnapshot(path, target)) }
      : await openCopy(path, target, skipHashCheck ?? false, async (tables) => {
          await atomically(tables, () => putFact(tables, 'generation', 1));
          if (revision !== undefined) await rewind(tables, revision);
          return {
            hash: 0,
            revision: Number(readFact(tables, 'revision')),
            totalKeys: tables.pairs.getKeysCount(wholeTable()),
            totalSize: size,
          };
        });
    await rm(`${target}-lock`, { force: true });
    // The rename replaces an empty directory.
    await syncDirectory(building);
    await renameDurably(building, directory);
    return status;
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    throw error;
  }
}

/** A snapshot ends with the SHA-256 of everything before it; pages make the rest a multiple of 512 bytes. */
async function checkIntegrity(path: string): Promise<void> {
  await access(path);
  const { size } = await stat(path);
  if (size % 512 !== HASH_BYTES) {
    throw new StoreError('corrupt', `${path} is damaged or truncated: its ${size} bytes do not end with a checksum`);
  }
  const hash = createHash('sha256');
  let stored = Buffer.alloc(0);
  const end = size - HASH_BYTES;
  let position = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const bytes: Buffer = chunk;
    const inside = Math.max(0, Math.min(bytes.length, end - position));
    hash.update(bytes.subarray(0, inside));
    stored = Buffer.concat([stored, bytes.subarray(inside)]);
    position += bytes.length;
  }
  if (!hash.digest().equals(stored))
    throw new StoreError('corrupt', `${path} is damaged: its contents do not match their checksum`);
}

async function withCopy<T>(path: string, beside: string, use: (tables: Tables) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(beside, '.snapshot-'));
  try {
    return await openCopy(path, join(directory, 'copy.mdb'), false, use);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function openCopy<T>(
  path: string,
  target: string,
  mayLackHash: boolean,
  use: (tables: Tables) => Promise<T>,
): Promise<T> {
  await copyFile(path, target);
  const { size } = await stat(target);
  if (!mayLackHash || size % 512 === HASH_BYTES) await truncate(target, size - HASH_BYTES);
  const tables = openTables(target);
  try {
    checkSchema(tables);
    return await use(tables);
  } finally {
    await tables.environment.close();
  }
}

/** Whether it is a bbolt file, as snapshots of etcd are. */
async function isEtcds(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    if (bytesRead < HEAD_BYTES) throw new StoreError('corrupt', `${path} is not a snapshot`);
    return buffer.readUInt32LE(BOLT_MAGIC_OFFSET) === MAGIC;
  } finally {
    await file.close();
  }
}

function etcdStatus(path: string): { hash: number; revision: number; totalKeys: number } {
  const database = new BboltDatabase(path);
  try {
    let [hash, totalKeys, revision] = [0, 0, compactRevisionOf(database)];
    for (const { key, value } of database.bucket('key')) {
      hash = crc32(value, crc32(key, hash));
      totalKeys++;
      revision = Math.max(revision, Number(key.readBigUInt64BE(0)));
    }
    return { hash, revision, totalKeys };
  } finally {
    database.close();
  }
}

async function isEmpty(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length === 0;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
