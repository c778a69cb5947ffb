import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MAGIC = 0x4c52574f;
const HEADER_BYTES = 48;

export type RecordType =
  | 'create'
  | 'write'
  | 'truncate'
  | 'durable'
  | 'sync start'
  | 'sync end'
  | 'rename'
  | 'unlink'
  | 'link'
  | 'mkdir'
  | 'symlink'
  | 'mapped';

/** In the order of `enum type` in recorder.c, which counts from 1. */
const TYPES: readonly RecordType[] = [
  'create',
  'write',
  'truncate',
  'durable',
  'sync start',
  'sync end',
  'rename',
  'unlink',
  'link',
  'mkdir',
  'symlink',
  'mapped',
];

/** One thing that the recorded process did below the watched directory. */
export interface DiskRecord {
  readonly type: RecordType;
  /** Nanoseconds of CLOCK_MONOTONIC, which `process.hrtime.bigint()` reads in every process of the machine. */
  readonly time: bigint;
  readonly inode: bigint;
  /** Of a write; the new length of a truncated file; the mode of what was created. */
  readonly offset: number;
  readonly id: bigint;
  readonly first: Buffer;
  readonly second: Buffer;
}

/** Compiles the recorder into a directory; gives the path of the library. */
export function buildRecorder(directory: string): string {
  const library = join(directory, 'recorder.so');
  execFileSync('gcc', [
    '-O1',
    '-Wall',
    '-shared',
    '-fPIC',
    '-o',
    library,
    join(import.meta.dirname, 'recorder.c'),
    '-ldl',
    '-lpthread',
  ]);
  return library;
}

/** What a process needs in its environment to be recorded. libuv must not write through io_uring, which nobody sees. */
export function recordedEnvironment(recorder: string, { root, log }: { root: string; log: string }): NodeJS.ProcessEnv {
  return { ...process.env, LD_PRELOAD: recorder, POWER_LOSS_ROOT: root, POWER_LOSS_LOG: log, UV_USE_IO_URING: '0' };
}

/** Ends every process that writes this log. */
export function cutPower(log: string): void {
  writeFileSync(`${log}.off`, '');
}

/** In the order of what the process did. */
export function readRecords(log: string): DiskRecord[] {
  const bytes = readFileSync(log);
  const records: DiskRecord[] = [];
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    if (bytes.readUInt32LE(at) !== MAGIC) throw new Error(`the log of the recorder is damaged at byte ${at}`);
    const firstBytes = bytes.readUInt32LE(at + 40);
    const secondBytes = bytes.readUInt32LE(at + 44);
    const end = at + HEADER_BYTES + firstBytes + secondBytes;
    records.push({
      type: TYPES[bytes.readUInt32LE(at + 4) - 1]!,
      time: bytes.readBigUInt64LE(at + 8),
      inode: bytes.readBigUInt64LE(at + 16),
      offset: Number(bytes.readBigUInt64LE(at + 24)),
      id: bytes.readBigUInt64LE(at + 32),
      first: bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + firstBytes),
      second: bytes.subarray(at + HEADER_BYTES + firstBytes, end),
    });
    at = end;
  }
  return records;
}
