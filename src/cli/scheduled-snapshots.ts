/** Snapshots that a cluster takes of itself while it runs: one in each interval, and only the newest are kept. */
import fs from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../base/index.ts';
import { makeDirectorySync, type Context } from '../kernel/index.ts';

export interface ScheduledSnapshots {
  /** Where they are; only the owner can read them. */
  readonly directory: string;
  readonly intervalMs: number;
  /** How many are kept. */
  readonly retention: number;
  /** Saves the cluster to the file. */
  save(file: string): Promise<{ readonly revision: number; readonly bytes: number }>;
}

export interface SnapshotFile {
  readonly file: string;
  readonly time: string;
  readonly bytes: number;
}

const NAME = /^snapshot-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)Z\.tgz$/;
const RETRY_MS = 5 * 60_000;

export const snapshotDirectoryOf = (dataDirectory: string): string => path.join(dataDirectory, 'snapshots');

/** The newest first; other files of the directory are nobody's business here. */
export function listSnapshots(directory: string): SnapshotFile[] {
  if (!fs.existsSync(directory)) return [];
  return fs
    .readdirSync(directory)
    .flatMap((name) => {
      const match = NAME.exec(name);
      if (!match) return [];
      const file = path.join(directory, name);
      return [{ file, time: `${match[1]}${match[2]}:${match[3]}:${match[4]}Z`, bytes: fs.statSync(file).size }];
    })
    .sort((a, b) => (a.time < b.time ? 1 : -1));
}

/** Until the context ends. A restart does not begin the interval anew. */
export async function runScheduledSnapshots(ctx: Context, options: ScheduledSnapshots): Promise<void> {
  const { clock, signal, logger } = ctx;
  const { directory, intervalMs, retention } = options;
  let next = Math.min(clock.now() + intervalMs, nextAfter(listSnapshots(directory)[0], intervalMs, clock.now()));
  for (;;) {
    while (!signal.aborted && clock.now() < next)
      await clock.sleep(Math.min(24 * 3600_000, next - clock.now()), signal).catch(() => undefined);
    if (signal.aborted) return;
    const started = clock.now();
    try {
      makeDirectorySync(directory, { mode: 0o700 });
      const file = path.join(directory, nameAt(started));
      const { revision, bytes } = await options.save(file);
      logger.info('Snapshot saved', { file, revision, bytes });
      for (const old of listSnapshots(directory).slice(retention)) fs.rmSync(old.file, { force: true });
      next = started + intervalMs;
    } catch (error) {
      if (signal.aborted) return;
      // What there is stays: old snapshots are removed only after a new one is complete.
      logger.error(error, 'Failed to save a snapshot, will retry', { directory, err: errorMessage(error) });
      next = clock.now() + Math.min(intervalMs, RETRY_MS);
    }
  }
}

const nextAfter = (newest: SnapshotFile | undefined, intervalMs: number, now: number): number =>
  newest ? Date.parse(newest.time) + intervalMs : now;

const nameAt = (time: number): string =>
  `snapshot-${new Date(time)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')}.tgz`;
