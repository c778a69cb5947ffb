import { open, type RangeIterable, type RangeOptions, type RootDatabase } from 'lmdb';
import type { KeyValue } from '../store.ts';
import { StoreError } from '../store.ts';
import type { View } from '../view.ts';
import type { KeyFilter } from './key-filter.ts';
import type { PairCache } from './pair-cache.ts';
import { copyOut, readPair } from './records.ts';
import { Slab } from './slab.ts';

/**
 * The schema that this release writes. A file with a greater number is from a newer release and is refused. Since version 2
 * the newest commits may be in the write-ahead log beside the file.
 */
export const SCHEMA_VERSION = 2;
/** LMDB keeps keys within a page. Kubernetes' longest keys have some 600 bytes. */
export const MAX_KEY_BYTES = 1900;
/** The store holds Secrets. */
export const FILE_MODE = 0o600;
const MAX_BOUND_BYTES = MAX_KEY_BYTES + 1;
/** Address space, not memory or disk: the file grows as needed up to this. */
const MAP_BYTES = 2 ** 40;

/** The part of `lmdb`'s tables that is used. Writes are part of a transaction, and succeed or fail with it. */
export interface Table {
  put(key: string, bytes: Buffer): unknown;
  remove(key: string): unknown;
  get(key: string): Buffer | undefined;
  getBinaryFast(key: string): Buffer | undefined;
  getRange(range: RangeOptions): RangeIterable<{ key: string; value: Buffer }>;
  getKeys(range: RangeOptions): RangeIterable<string>;
  getKeysCount(range: RangeOptions): number;
  getStats(): object;
}

/** The tables of an open file. */
export interface Tables {
  readonly path: string;
  readonly environment: RootDatabase<Buffer, string>;
  readonly pairs: Table;
  readonly log: Table;
  readonly leases: Table;
  readonly leaseKeys: Table;
  readonly facts: Table;
}

export type FactName =
  | 'schema'
  | 'generation'
  | 'revision'
  | 'compactRevision'
  | 'memberId'
  | 'clusterId'
  | 'logSequence';

const latin1Keys = {
  writeKey: (key: string, target: Buffer, start: number): number => start + target.write(key, start, 'latin1'),
  readKey: (target: Buffer, start: number, end: number): string => target.toString('latin1', start, end),
};

/** Returns memory of LMDB: readers copy what they keep. */
const borrowedBytes = {
  encode: (bytes: Buffer): Buffer => bytes,
  decode: (bytes: Buffer): Buffer => bytes,
};

/** Options that the types of `lmdb` lack: key encoders, a decoder without a copy, and the file's mode. */
const tableOptions = { encoding: 'binary', keyEncoder: latin1Keys, encoder: borrowedBytes } as const;
const fileOptions = { permissionsMode: FILE_MODE } as const;

export function openTables(path: string): Tables {
  const environment = open<Buffer, string>({
    ...tableOptions,
    ...fileOptions,
    path,
    noSubdir: true,
    maxDbs: 8,
    mapSize: MAP_BYTES,
    // A commit becomes visible when it is on disk, and the engine groups the commits.
    overlappingSync: false,
    eventTurnBatching: false,
  });
  const table = (name: string): Table => environment.openDB<Buffer, string>({ ...tableOptions, name });
  return {
    path,
    environment,
    pairs: table('pairs'),
    log: table('log'),
    leases: table('leases'),
    leaseKeys: table('leaseKeys'),
    facts: table('facts'),
  };
}

export function readFact(tables: Tables, name: FactName): bigint | undefined {
  const bytes = tables.facts.get(name);
  return bytes === undefined ? undefined : bytes.readBigUInt64LE();
}

export function putFact(tables: Tables, name: FactName, value: bigint | number): void {
  const bytes = Buffer.allocUnsafeSlow(8);
  bytes.writeBigUInt64LE(BigInt(value));
  tables.facts.put(name, bytes);
}

/** One transaction: all puts and removals of `write` become durable at once, or none of them. */
export async function atomically(tables: Tables, write: () => void): Promise<void> {
  try {
    await tables.environment.batch(write);
  } catch (error) {
    throw await commitError(error);
  }
}

/** `lmdb` rejects at once; a second promise has the reason. */
async function commitError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && 'commitError' in error)) return error;
  try {
    await error.commitError;
  } catch (reason) {
    return reason;
  }
  return error;
}

export function checkSchema(tables: Tables): void {
  const version = readFact(tables, 'schema');
  if (version === undefined) throw new StoreError('corrupt', `${tables.path} is not a k8ts store`);
  if (version > BigInt(SCHEMA_VERSION)) {
    throw new StoreError(
      'unsupported',
      `${tables.path} has schema version ${version}, written by a newer release of k8ts; this one reads up to version ${SCHEMA_VERSION}`,
    );
  }
}

/** The pairs in the file, from the cache where it has them. */
export function tablesView(
  { pairs }: Tables,
  { cache, keys, slab }: { cache: PairCache; keys: Pick<KeyFilter, 'mayHave'>; slab: boolean },
): View {
  const read = (key: string): KeyValue | undefined => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const bytes = pairs.getBinaryFast(key);
    if (bytes === undefined) return undefined;
    const kv = readPair(key, bytes, copyOut);
    cache.set(kv);
    return kv;
  };
  return {
    get: (key) => (key.length > MAX_KEY_BYTES || !keys.mayHave(key) ? undefined : read(key)),
    scan(start, end, visit, isSweep = false) {
      const keep = slab ? new Slab().keep : copyOut;
      for (const { key, value } of pairs.getRange(bounds(start, end))) {
        let kv = cache.get(key);
        if (kv === undefined) {
          kv = readPair(key, value, keep);
          if (!isSweep) cache.set(kv);
        }
        if (visit(kv) === false) return;
      }
    },
    count: (start, end) => pairs.getKeysCount(bounds(start, end)),
    // Of the file itself: a transaction that is just ending may be ahead of the cache and the filter.
    has: (key) => key.length <= MAX_KEY_BYTES && pairs.getBinaryFast(key) !== undefined,
  };
}

export function keyCount({ pairs }: Tables): number {
  return numberIn(pairs.getStats(), 'entryCount');
}

/** Bounds may exceed LMDB's key size; truncated to just above the longest key, they select the same keys. */
function bounds(start: string, end: string | undefined): { start: string; end?: string } {
  const from = start.slice(0, MAX_BOUND_BYTES);
  return end === undefined ? { start: from } : { start: from, end: end.slice(0, MAX_BOUND_BYTES) };
}

/** The file's size, and the size of its pages in use. */
export function tableSizes(tables: Tables): { total: number; inUse: number } {
  let pages = 2;
  for (const table of [tables.environment, tables.pairs, tables.log, tables.leases, tables.leaseKeys, tables.facts]) {
    pages += usedPages(table.getStats());
  }
  const root: unknown = tables.environment.getStats();
  const pageSize = numberIn(root, 'pageSize');
  return { total: (numberIn(root, 'lastPageNumber') + 1) * pageSize, inUse: pages * pageSize };
}

export function tableBytes(table: Table): number {
  const stats: unknown = table.getStats();
  return usedPages(stats) * numberIn(stats, 'pageSize');
}

function usedPages(stats: unknown): number {
  return (
    numberIn(stats, 'treeBranchPageCount') + numberIn(stats, 'treeLeafPageCount') + numberIn(stats, 'overflowPages')
  );
}

function numberIn(stats: unknown, name: string): number {
  const value: unknown = typeof stats === 'object' && stats !== null ? Reflect.get(stats, name) : undefined;
  return typeof value === 'number' ? value : 0;
}

/** With a custom key encoder LMDB needs an explicit start. It modifies the options, so each call gets new ones. */
export function wholeTable(): { start: string } {
  return { start: '\0' };
}
