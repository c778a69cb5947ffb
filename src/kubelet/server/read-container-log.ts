/** Reads a container log in CRI format: since, tail, limit, time stamps, and following through rotations. */
import { watch, type FSWatcher } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { parseTime } from '../../base/index.ts';
import type { Clock } from '../../kernel/index.ts';

export interface LogOptions {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly limitBytes?: number;
  /** Only what the container wrote there. */
  readonly stream?: 'stdout' | 'stderr';
}

interface LogSource {
  readonly file: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether the container can still write. */
  readonly isRunning: () => Promise<boolean>;
}

const CHUNK = 64 * 1024;
const POLL_MS = 1000;

export async function* readContainerLog(source: LogSource, options: LogOptions): AsyncIterable<Buffer> {
  const { clock, signal } = source;
  const since =
    options.sinceTime !== undefined
      ? parseTime(options.sinceTime)
      : options.sinceSeconds === undefined
        ? -Infinity
        : clock.now() - options.sinceSeconds * 1000;
  let left = options.limitBytes ?? Infinity;
  // What is written after the last lines were found must not make them more.
  let linesLeft = options.follow ? Infinity : (options.tailLines ?? Infinity);
  let handle = await fs.open(source.file, 'r');
  const changes = options.follow ? new FileChanges(source.file) : undefined;
  try {
    let position = options.tailLines === undefined ? 0 : await tailStart(handle, options.tailLines);
    let rest = Buffer.alloc(0);
    const buffer = Buffer.alloc(CHUNK);
    while (linesLeft > 0) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
      if (bytesRead > 0) {
        position += bytesRead;
        const data = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
        const end = data.lastIndexOf(0x0a) + 1;
        rest = Buffer.from(data.subarray(end));
        const lines = linesOf(data.subarray(0, end)).slice(0, linesLeft);
        linesLeft -= lines.length;
        const text = Buffer.concat(lines.map((line) => formatLine(line, since, options)));
        if (text.length > 0) yield text.subarray(0, Math.min(text.length, left));
        left -= text.length;
        if (left <= 0) return;
        continue;
      }
      if (changes === undefined || signal.aborted) return;
      const rotated = await reopenIfRotated(handle, source.file);
      if (rotated !== undefined) {
        await handle.close();
        handle = rotated;
        position = 0;
        rest = Buffer.alloc(0);
        continue;
      }
      // Check the state before the last read, so that output before the exit is not lost.
      const running = await source.isRunning();
      if (!running && (await handle.stat()).size <= position) return;
      if (running) await changes.next(clock, signal);
      if (signal.aborted) return;
    }
  } finally {
    changes?.close();
    await handle.close();
  }
}

/** The new log file after a rotation. */
async function reopenIfRotated(handle: fs.FileHandle, file: string): Promise<fs.FileHandle | undefined> {
  const [mine, current] = await Promise.all([handle.stat(), fs.stat(file).catch(() => undefined)]);
  return current === undefined || current.ino === mine.ino ? undefined : fs.open(file, 'r');
}

function linesOf(data: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < data.length;) {
    const end = data.indexOf(0x0a, start);
    const stop = end < 0 ? data.length : end;
    lines.push(data.subarray(start, stop));
    start = stop + 1;
  }
  return lines;
}

const NEW_LINE = Buffer.from('\n');

/** A line is `TIME STREAM TAG CONTENT`; the tag P marks a partial line. */
function formatLine(line: Buffer, since: number, { timestamps, stream }: LogOptions): Buffer {
  const first = line.indexOf(0x20);
  const second = line.indexOf(0x20, first + 1);
  const third = line.indexOf(0x20, second + 1);
  if (first < 0 || second < 0) return Buffer.alloc(0);
  if (stream !== undefined && line.subarray(first + 1, second).toString() !== stream) return Buffer.alloc(0);
  const time = line.subarray(0, first).toString();
  if (since > -Infinity && Date.parse(time) < since) return Buffer.alloc(0);
  const tag = line.subarray(second + 1, third < 0 ? line.length : third).toString();
  const content = third < 0 ? Buffer.alloc(0) : line.subarray(third + 1);
  const isPartial = tag.split(':').includes('P');
  return Buffer.concat([
    ...(timestamps ? [Buffer.from(`${time.replace(/\+00:00$/, 'Z')} `)] : []),
    content,
    ...(isPartial ? [] : [NEW_LINE]),
  ]);
}

/** The offset of the last lines, searched backwards from the end. */
async function tailStart(handle: fs.FileHandle, lines: number): Promise<number> {
  const { size } = await handle.stat();
  if (lines <= 0) return size;
  let found = 0;
  const buffer = Buffer.alloc(CHUNK);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK);
    await handle.read(buffer, 0, end - start, start);
    for (let i = end - start - 1; i >= 0; i--) {
      if (buffer[i] !== 0x0a || start + i === size - 1) continue;
      found++;
      if (found === lines) return start + i + 1;
    }
    end = start;
  }
  return 0;
}

/** Waits for changes of the file. Also polls, because not every file system supports inotify. */
class FileChanges {
  readonly #watcher: FSWatcher | undefined;
  #notify = (): void => {};
  #pending = false;

  constructor(file: string) {
    try {
      this.#watcher = watch(path.dirname(file), { persistent: false }, () => {
        this.#pending = true;
        this.#notify();
      });
      this.#watcher.on('error', () => {});
    } catch {
      this.#watcher = undefined;
    }
  }

  async next(clock: Clock, signal: AbortSignal): Promise<void> {
    if (!this.#pending) {
      const changed = new Promise<void>((resolve) => (this.#notify = resolve));
      const stop = new AbortController();
      const pause = clock.sleep(POLL_MS, AbortSignal.any([signal, stop.signal])).catch(() => {});
      await Promise.race([changed, pause]);
      stop.abort();
    }
    this.#pending = false;
  }

  close(): void {
    this.#watcher?.close();
  }
}
