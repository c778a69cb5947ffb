import type { Commit } from '../engine.ts';
import type { KeyValue } from '../store.ts';
import { pairBytes, readPair, writePair } from './records.ts';

/**
 * The commits of one entry of the write-ahead log, one after the other:
 *
 *   flags(1) [revision(6) changes(4) change…] [lease granted(8) its TTL(8)] [lease revoked(8)]
 *   change: type(1) keyLength(4) key [bytes(4) pair as in the table `pairs`]
 *
 * What a change replaced is not in it: the tables have that when the entry is replayed.
 */
export type LoggedCommit = Pick<Commit, 'leaseGranted' | 'leaseRevoked'> & {
  readonly revision: number | undefined;
  readonly changes: readonly { readonly key: string; readonly kv: KeyValue | undefined }[];
};

const HAS_RECORD = 1;
const HAS_GRANTED = 2;
const HAS_REVOKED = 4;
const RECORD_BYTES = 10;
const CHANGE_BYTES = 5;
const PAIR_LENGTH_BYTES = 4;
const GRANTED_BYTES = 16;
const REVOKED_BYTES = 8;
const PUT = 0;
const DELETE = 1;

export function commitBytes({ record, leaseGranted, leaseRevoked }: Commit): number {
  let bytes = 1 + (leaseGranted ? GRANTED_BYTES : 0) + (leaseRevoked === undefined ? 0 : REVOKED_BYTES);
  if (record === undefined) return bytes;
  bytes += RECORD_BYTES;
  for (const { type, kv } of record.changes)
    bytes += CHANGE_BYTES + kv.key.length + (type === 'put' ? PAIR_LENGTH_BYTES + pairBytes(kv) : 0);
  return bytes;
}

/** Returns the end offset. */
export function writeCommit({ record, leaseGranted, leaseRevoked }: Commit, target: Buffer, offset: number): number {
  let at = offset + 1;
  target[offset] =
    (record ? HAS_RECORD : 0) | (leaseGranted ? HAS_GRANTED : 0) | (leaseRevoked === undefined ? 0 : HAS_REVOKED);
  if (record) {
    at = target.writeUIntLE(record.revision, at, 6);
    at = target.writeUInt32LE(record.changes.length, at);
    for (const { type, kv } of record.changes) {
      target[at] = type === 'put' ? PUT : DELETE;
      target.writeUInt32LE(kv.key.length, at + 1);
      at += 5 + target.write(kv.key, at + 5, 'latin1');
      if (type === 'delete') continue;
      const end = writePair(kv, target, at + 4);
      target.writeUInt32LE(end - at - 4, at);
      at = end;
    }
  }
  if (leaseGranted) at = target.writeDoubleLE(leaseGranted.ttl, target.writeBigInt64LE(leaseGranted.id, at));
  if (leaseRevoked !== undefined) at = target.writeBigInt64LE(leaseRevoked, at);
  return at;
}

/** The commits of an entry, whose checksum was right: nothing of it is missing. */
export function readCommits(entry: Buffer): LoggedCommit[] {
  const commits: LoggedCommit[] = [];
  for (let at = 0; at < entry.length;) {
    const flags = entry[at++]!;
    let revision: number | undefined;
    const changes: { key: string; kv: KeyValue | undefined }[] = [];
    if (flags & HAS_RECORD) {
      revision = entry.readUIntLE(at, 6);
      const count = entry.readUInt32LE(at + 6);
      at += RECORD_BYTES;
      for (let i = 0; i < count; i++) {
        const isPut = entry[at] === PUT;
        const keyEnd = at + 5 + entry.readUInt32LE(at + 1);
        const key = entry.toString('latin1', at + 5, keyEnd);
        at = keyEnd;
        if (!isPut) {
          changes.push({ key, kv: undefined });
          continue;
        }
        const end = at + 4 + entry.readUInt32LE(at);
        changes.push({
          key,
          kv: readPair(key, entry.subarray(at + 4, end), (from, start, to) => from.subarray(start, to)),
        });
        at = end;
      }
    }
    let leaseGranted: Commit['leaseGranted'];
    if (flags & HAS_GRANTED) {
      leaseGranted = { id: entry.readBigInt64LE(at), ttl: entry.readDoubleLE(at + 8) };
      at += GRANTED_BYTES;
    }
    let leaseRevoked: bigint | undefined;
    if (flags & HAS_REVOKED) {
      leaseRevoked = entry.readBigInt64LE(at);
      at += REVOKED_BYTES;
    }
    commits.push({
      revision,
      changes,
      ...(leaseGranted && { leaseGranted }),
      ...(leaseRevoked !== undefined && { leaseRevoked }),
    });
  }
  return commits;
}
