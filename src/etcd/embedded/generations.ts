import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { renameDurably } from '../../kernel/index.ts';
import { StoreError } from '../store.ts';
import { damageOf } from './check-file.ts';
import {
  atomically,
  checkSchema,
  openTables,
  putFact,
  readFact,
  SCHEMA_VERSION,
  type Tables,
  wholeTable,
} from './tables.ts';

/**
 * The store's file is `store-<generation>.mdb`. A file gets such a name when all its pages are on the disk: LMDB does
 * not survive missing pages, which a power loss could leave. Defragmentation writes the next generation beside it,
 * which becomes valid when its generation number is written, with the last data. So whenever the process or the machine
 * dies, exactly one complete file exists, and the next start removes the others.
 */
const FILE_NAME = /^store-(\d+)\.mdb$/;
/** Unfinished files and snapshots that were being streamed; a killed process leaves them behind. */
const TEMPORARY_NAME = /^(?:(snapshot-\d+|store-\d+\.mdb)\.tmp(-lock)?|snapshot-\w{6})$/;

export function generationPath(directory: string, generation: number): string {
  return join(directory, `store-${String(generation).padStart(6, '0')}.mdb`);
}

/** The name of a file until it is complete and synced. */
export function temporaryPath(path: string): string {
  return `${path}.tmp`;
}

export function generationsIn(directory: string): number[] {
  const found = readdirSync(directory).map((name) => FILE_NAME.exec(name)?.[1]);
  return found
    .filter((number) => number !== undefined)
    .map(Number)
    .toSorted((a, b) => b - a);
}

export interface OpenedGeneration {
  tables: Tables;
  generation: number;
}

export interface Identity {
  memberId: bigint;
  clusterId: bigint;
}

/** Opens the store in a directory, or creates an empty one at revision 1. */
export async function openGeneration(directory: string, name: string, now: number): Promise<OpenedGeneration> {
  for (const name of readdirSync(directory))
    if (TEMPORARY_NAME.test(name)) rmSync(join(directory, name), { force: true, recursive: true });
  const generations = generationsIn(directory);
  const identity = identityOf(name, directory, now);
  if (generations.length === 0) return create(directory, identity);
  for (const generation of generations) {
    const opened = await openComplete(directory, generation, identity);
    if (opened === undefined) continue;
    for (const other of generations) if (other !== generation) removeGeneration(directory, other);
    return opened;
  }
  throw new StoreError(
    'corrupt',
    `no complete store in ${directory}: ${generationPath(directory, generations[0]!)} is an unfinished copy`,
  );
}

/**
 * Undefined for an unfinished copy: the store continued with the generation before it. A file that cannot be read is an
 * error, because it may be the newest, and an older file would lack acknowledged writes.
 */
async function openComplete(
  directory: string,
  generation: number,
  identity: Identity,
): Promise<OpenedGeneration | undefined> {
  const path = generationPath(directory, generation);
  const damage = damageOf(path);
  if (damage !== undefined)
    throw new StoreError('corrupt', `no complete store in ${directory}: ${path} is damaged: ${damage}`);
  let tables: Tables;
  try {
    tables = openTables(path);
  } catch (error) {
    throw new StoreError('corrupt', `no complete store in ${directory}: ${path}: ${errorMessage(error)}`, 0, {
      cause: error,
    });
  }
  try {
    // An older release may have died between tables the file of a new store and filling it.
    if (generation === 1 && readFact(tables, 'schema') === undefined && tables.pairs.getKeysCount(wholeTable()) === 0)
      await initialise(tables, identity);
    checkSchema(tables);
    // An older release would not know of the log beside the file.
    if (readFact(tables, 'schema') !== BigInt(SCHEMA_VERSION))
      await atomically(tables, () => putFact(tables, 'schema', SCHEMA_VERSION));
  } catch (error) {
    await tables.environment.close();
    throw error;
  }
  if (readFact(tables, 'generation') === BigInt(generation)) return { tables, generation };
  await tables.environment.close();
  return undefined;
}

async function create(directory: string, identity: Identity): Promise<OpenedGeneration> {
  const path = generationPath(directory, 1);
  const temporary = temporaryPath(path);
  const tables = openTables(temporary);
  try {
    await initialise(tables, identity);
  } finally {
    await tables.environment.close();
  }
  rmSync(`${temporary}-lock`, { force: true });
  await renameDurably(temporary, path);
  return { tables: openTables(path), generation: 1 };
}

async function initialise(tables: Tables, identity: Identity): Promise<void> {
  await atomically(tables, () => {
    putFact(tables, 'schema', SCHEMA_VERSION);
    putFact(tables, 'generation', 1);
    putFact(tables, 'revision', 1);
    putFact(tables, 'compactRevision', 0);
    putFact(tables, 'memberId', identity.memberId);
    putFact(tables, 'clusterId', identity.clusterId);
  });
}

export function removeGeneration(directory: string, generation: number): void {
  const path = generationPath(directory, generation);
  rmSync(path, { force: true });
  rmSync(`${path}-lock`, { force: true });
}

/** Unlinking a large file takes a while, so it does not happen on the main thread. */
export async function removeGenerationInBackground(directory: string, generation: number): Promise<void> {
  const path = generationPath(directory, generation);
  await rm(path, { force: true });
  await rm(`${path}-lock`, { force: true });
}

/** Member and cluster ids are hashes of what makes them unique, as in etcd. */
export function identityOf(name: string, directory: string, now: number): Identity {
  const hash = (text: string): bigint => createHash('sha256').update(text).digest().readBigUInt64BE() >> 1n;
  return { memberId: hash(`member ${name} ${directory} ${now}`), clusterId: hash(`cluster ${directory} ${now}`) };
}
