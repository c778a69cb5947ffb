import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, copyFile, mkdtemp, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeDirectoryDurably, renameDurably, syncDirectory } from '../../kernel/index.ts';
import { generationPath } from '../embedded/generations.ts';
import { atomically, checkSchema, openTables, putFact, readFact, type Tables, wholeTable } from '../embedded/tables.ts';
import { StoreError } from '../store.ts';

const HASH_BYTES = 32;
const BOLT_MAGIC_OFFSET = 16;
const BOLT_MAGIC = 0xed0cdaed;

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
}

/** Creates a data directory from a snapshot. The directory must be empty: nothing is ever overwritten. */
export async function restoreSnapshot({ path, directory, skipHashCheck }: RestoreOptions): Promise<SnapshotStatus> {
  if (!(await isEmpty(directory)))
    throw new StoreError('unsupported', `data-dir ${JSON.stringify(directory)} not empty or could not be read`);
  if (!skipHashCheck) await checkIntegrity(path);
  const { size } = await stat(path);
  const parent = dirname(directory);
  makeDirectoryDurably(parent, 0o700);
  const building = await mkdtemp(join(parent, `.${basename(directory)}-`));
  try {
    const target = generationPath(building, 1);
    const status = await openCopy(path, target, skipHashCheck ?? false, async (tables) => {
      await atomically(tables, () => putFact(tables, 'generation', 1));
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
  await refuseForeign(path, target);
  const tables = openTables(target);
  try {
    checkSchema(tables);
    return await use(tables);
  } finally {
    await tables.environment.close();
  }
}

async function refuseForeign(path: string, copy: string): Promise<void> {
  const file = await open(copy, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    if (bytesRead === 64 && buffer.readUInt32LE(BOLT_MAGIC_OFFSET) === BOLT_MAGIC) {
      throw new StoreError('unsupported', `${path} is a snapshot of etcd's own store: restore it with etcdutl`);
    }
    if (bytesRead < 64) throw new StoreError('corrupt', `${path} is not a snapshot`);
  } finally {
    await file.close();
  }
}

async function isEmpty(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length === 0;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
