import { allocateBytes } from '../../kernel/index.ts';
import type { Change } from '../apply-txn.ts';
import { tombstone } from '../apply-txn.ts';
import type { KeyValue } from '../store.ts';

/**
 * The bytes of the tables.
 *
 *   pairs   key                    -> flags(1) mod(6) create(6) version(6) [lease(8)] value
 *   log     revision(6 BE) nr(4 BE) -> type(1) keyLength(4) key [record of the pair that was replaced, as in pairs]
 *
 * The log holds of each change only what it replaced: the newest value of a key is in `pairs`, an older one in the
 * log entry that ended it. So a value is on disk once while it is current, and compaction only cuts off the log's
 * beginning.
 */
const HAS_LEASE = 1;
const HEADER_BYTES = 19;
const LEASE_BYTES = 8;

const LOG_PUT = 0;
const LOG_DELETE = 1;
const LOG_HEADER_BYTES = 5;

export function pairBytes(kv: KeyValue): number {
  return HEADER_BYTES + (kv.lease === 0n ? 0 : LEASE_BYTES) + kv.value.length;
}

/** Writes the pair's record and returns its end offset. */
export function writePair(kv: KeyValue, target: Buffer, offset: number): number {
  target[offset] = kv.lease === 0n ? 0 : HAS_LEASE;
  target.writeUIntLE(kv.modRevision, offset + 1, 6);
  target.writeUIntLE(kv.createRevision, offset + 7, 6);
  target.writeUIntLE(kv.version, offset + 13, 6);
  let position = offset + HEADER_BYTES;
  if (kv.lease !== 0n) position = target.writeBigInt64LE(kv.lease, position);
  target.set(kv.value, position);
  return position + kv.value.length;
}

/** `bytes` is memory of LMDB; `keep` copies the value out of it. */
export function readPair(
  key: string,
  bytes: Buffer,
  keep: (from: Buffer, start: number, end: number) => Uint8Array,
  offset = 0,
): KeyValue {
  const leased = bytes[offset] === HAS_LEASE;
  const valueStart = offset + HEADER_BYTES + (leased ? LEASE_BYTES : 0);
  return {
    key,
    value: keep(bytes, valueStart, bytes.length),
    createRevision: read48(bytes, offset + 7),
    modRevision: read48(bytes, offset + 1),
    version: read48(bytes, offset + 13),
    lease: leased ? bytes.readBigInt64LE(offset + HEADER_BYTES) : 0n,
  };
}

function read48(bytes: Buffer, offset: number): number {
  return (
    bytes[offset]! +
    bytes[offset + 1]! * 0x100 +
    bytes[offset + 2]! * 0x10000 +
    bytes[offset + 3]! * 0x1000000 +
    (bytes[offset + 4]! + bytes[offset + 5]! * 0x100) * 0x100000000
  );
}

export function logBytes(change: Change): number {
  return LOG_HEADER_BYTES + change.kv.key.length + (change.prevKv === undefined ? 0 : pairBytes(change.prevKv));
}

export function writeLog(change: Change, target: Buffer, offset: number): number {
  const { key } = change.kv;
  target[offset] = change.type === 'put' ? LOG_PUT : LOG_DELETE;
  target.writeUInt32LE(key.length, offset + 1);
  const position = offset + LOG_HEADER_BYTES + target.write(key, offset + LOG_HEADER_BYTES, 'latin1');
  return change.prevKv === undefined ? position : writePair(change.prevKv, target, position);
}

export interface LogEntry {
  type: 'put' | 'delete';
  key: string;
  prevKv: KeyValue | undefined;
}

export function readLog(bytes: Buffer): LogEntry {
  const keyEnd = LOG_HEADER_BYTES + bytes.readUInt32LE(1);
  const key = bytes.toString('latin1', LOG_HEADER_BYTES, keyEnd);
  return {
    type: bytes[0] === LOG_PUT ? 'put' : 'delete',
    key,
    prevKv: bytes.length > keyEnd ? readPair(key, bytes, copyOut, keyEnd) : undefined,
  };
}

/** The entry without the pair that its change replaced; undefined when it holds none. */
export function withoutReplaced(bytes: Buffer): Buffer | undefined {
  const keyEnd = LOG_HEADER_BYTES + bytes.readUInt32LE(1);
  return bytes.length === keyEnd ? undefined : Buffer.from(bytes.subarray(0, keyEnd));
}

/** The change of a log entry, given the pair of its key right after the change. */
export function changeOf(entry: LogEntry, revision: number, after: KeyValue | undefined): Change {
  if (entry.type === 'delete') return { type: 'delete', kv: tombstone(entry.key, revision), prevKv: entry.prevKv };
  if (after === undefined || after.modRevision !== revision) {
    throw new Error(
      `the log says that ${JSON.stringify(entry.key)} was put at revision ${revision}, but its value is missing`,
    );
  }
  return { type: 'put', kv: after, prevKv: entry.prevKv };
}

export function logKey(revision: number, number: number): string {
  const high = Math.floor(revision / 2 ** 32);
  const low = revision % 2 ** 32;
  return String.fromCharCode(
    ...[high >>> 8, high & 255, low >>> 24, (low >>> 16) & 255, (low >>> 8) & 255, low & 255],
    ...[number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255],
  );
}

export function revisionOfLogKey(key: string): number {
  let revision = 0;
  for (let i = 0; i < 6; i++) revision = revision * 256 + key.charCodeAt(i);
  return revision;
}

export function leaseKey(id: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(id);
  return bytes.toString('latin1');
}

export function leaseOfKey(key: string): bigint {
  return Buffer.from(key.slice(0, 8), 'latin1').readBigInt64BE();
}

export function copyOut(from: Buffer, start: number, end: number): Uint8Array {
  const copy = allocateBytes(end - start);
  from.copy(copy, 0, start, end);
  return copy;
}
