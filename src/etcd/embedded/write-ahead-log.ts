import fs from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectory } from '../../kernel/index.ts';
import type { Commit } from '../engine.ts';
import { FILE_MODE } from './tables.ts';
import { commitBytes, writeCommit } from './wal-entries.ts';

/**
 * Makes commits durable with one write to the end of a file. A transaction of LMDB is three times as much work: it writes
 * whole pages here and there and waits for the disk twice. So the tables get the commits later, many at a time, and what they
 * lack after a crash is replayed from here.
 *
 *   entry: bytes(4) checksum(4) sequence(6) commits
 *
 * Two files take turns: one is written from its beginning again when the tables have everything that is in it. What is left
 * behind the newest entry is older and does not continue its sequence.
 */
const NAMES = ['wal-0.log', 'wal-1.log'] as const;
const HEADER_BYTES = 14;
const SEQUENCE_OFFSET = 8;
const SEQUENCE_BYTES = 6;
/** A file that has grown beyond this gives way to the other one. */
const SWITCH_BYTES = 8 * 1024 * 1024;
const BUFFER_BYTES = 256 * 1024;
/** Where a write does not wait for the disk by itself, fdatasync does. */
const SYNCED_WRITES: number | undefined = fs.constants.O_DSYNC;

interface WalEntry {
  readonly sequence: number;
  readonly commits: Buffer;
}

interface OpenFile {
  readonly descriptor: number;
  end: number;
  lastSequence: number;
}

export class WriteAheadLog {
  readonly #directory: string;
  #files: [OpenFile, OpenFile] | undefined;
  #active = 0;
  #sequence: number;
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);

  /** `sequence` is the newest that was used. */
  constructor(directory: string, sequence: number) {
    this.#directory = directory;
    this.#sequence = sequence;
  }

  /** Resolves with the entry's sequence when the commits are on the disk. `stored`: the newest sequence that the tables have. */
  async append(commits: readonly Commit[], stored: number): Promise<number> {
    this.#files ??= await this.#open();
    const sequence = this.#sequence + 1;
    const entry = this.#encode(commits, sequence);
    const file = this.#fileFor(stored);
    await write(file.descriptor, entry, file.end);
    file.end += entry.length;
    file.lastSequence = sequence;
    this.#sequence = sequence;
    return sequence;
  }

  /** `isWhole`: the tables have everything. */
  async close({ isWhole }: { isWhole: boolean }): Promise<void> {
    for (const { descriptor } of this.#files ?? []) fs.closeSync(descriptor);
    if (this.#files && isWhole) await removeLog(this.#directory);
  }

  async #open(): Promise<[OpenFile, OpenFile]> {
    const flags = fs.constants.O_RDWR | fs.constants.O_CREAT | (SYNCED_WRITES ?? 0);
    const open = (name: string): OpenFile => ({
      descriptor: fs.openSync(join(this.#directory, name), flags, FILE_MODE),
      end: 0,
      lastSequence: 0,
    });
    const files: [OpenFile, OpenFile] = [open(NAMES[0]), open(NAMES[1])];
    await syncDirectory(this.#directory);
    return files;
  }

  #fileFor(stored: number): OpenFile {
    const files = this.#files!;
    const other = files[1 - this.#active]!;
    if (files[this.#active]!.end > SWITCH_BYTES && other.lastSequence <= stored) {
      this.#active = 1 - this.#active;
      other.end = 0;
    }
    return files[this.#active]!;
  }

  #encode(commits: readonly Commit[], sequence: number): Buffer {
    let bytes = HEADER_BYTES;
    for (const commit of commits) bytes += commitBytes(commit);
    const entry = bytes <= this.#buffer.length ? this.#buffer.subarray(0, bytes) : Buffer.allocUnsafeSlow(bytes);
    let at = entry.writeUIntLE(sequence, SEQUENCE_OFFSET, SEQUENCE_BYTES);
    for (const commit of commits) at = writeCommit(commit, entry, at);
    entry.writeUInt32LE(bytes - HEADER_BYTES, 0);
    entry.writeUInt32LE(crc32(entry.subarray(SEQUENCE_OFFSET)), 4);
    return entry;
  }
}

function write(descriptor: number, entry: Buffer, position: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let written = 0;
    const next = (): void => {
      fs.write(descriptor, entry, written, entry.length - written, position + written, (error, count) => {
        if (error) return reject(error);
        written += count;
        if (written < entry.length) return next();
        if (SYNCED_WRITES !== undefined) return resolve();
        fs.fdatasync(descriptor, (failed) => (failed ? reject(failed) : resolve()));
      });
    };
    next();
  });
}

/** The entries of a directory's log in their order. An entry that was not written to its end was not acknowledged. */
export async function readLogEntries(directory: string): Promise<WalEntry[]> {
  const files = await Promise.all(NAMES.map((name) => readFile(join(directory, name)).catch(ifMissing)));
  return files.flatMap(entriesOf).toSorted((a, b) => a.sequence - b.sequence);
}

function entriesOf(file: Buffer): WalEntry[] {
  const entries: WalEntry[] = [];
  for (let at = 0; at + HEADER_BYTES <= file.length;) {
    const bytes = file.readUInt32LE(at);
    const end = at + HEADER_BYTES + bytes;
    if (end > file.length || crc32(file.subarray(at + SEQUENCE_OFFSET, end)) !== file.readUInt32LE(at + 4)) break;
    const sequence = file.readUIntLE(at + SEQUENCE_OFFSET, SEQUENCE_BYTES);
    const before = entries.at(-1);
    if (before !== undefined && sequence !== before.sequence + 1) break;
    entries.push({ sequence, commits: file.subarray(at + HEADER_BYTES, end) });
    at = end;
  }
  return entries;
}

export async function removeLog(directory: string): Promise<void> {
  for (const name of NAMES) await rm(join(directory, name), { force: true });
  await syncDirectory(directory);
}

function ifMissing(error: NodeJS.ErrnoException): Buffer {
  if (error.code === 'ENOENT') return Buffer.alloc(0);
  throw error;
}
