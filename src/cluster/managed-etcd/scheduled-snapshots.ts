/** Snapshots of etcd on a schedule: files in the data directory, of which the newest are kept. */
import fs from 'node:fs';
import path from 'node:path';
import { formatTime } from '../../base/index.ts';
import { parseSchedule } from '../../controller-manager/index.ts';
import { saveSnapshot, type Store } from '../../etcd/index.ts';
import { makeDirectoryDurably, type Context } from '../../kernel/index.ts';
import type { SnapshotSchedule } from './etcd-options.ts';

interface SnapshotFile {
  readonly file: string;
  readonly bytes: number;
  readonly time: string;
}

const NAME = /^etcd-snapshot-(\d{8}T\d{6}Z)\.db$/;
/** A missed time is noticed after this long, since the clock may be set; and a failed snapshot is tried again. */
const LOOK_MS = 60_000;

export async function runScheduledSnapshots(
  ctx: Context,
  store: Pick<Store, 'snapshot'>,
  { directory, schedule, retention }: SnapshotSchedule & { readonly directory: string },
): Promise<void> {
  const { clock, logger, signal } = ctx;
  const times = parseSchedule(schedule);
  let next = times.next(clock.now());
  while (next !== undefined && !signal.aborted) {
    await clock.sleep(Math.max(0, Math.min(next - clock.now(), LOOK_MS)), signal).catch(() => undefined);
    if (signal.aborted || clock.now() < next) continue;
    next = times.next(clock.now());
    try {
      const { file, bytes } = await saveEtcdSnapshot(ctx, store, directory);
      logger.info('Saved a snapshot of etcd', { file, bytes });
      removeOld(directory, retention);
    } catch (error) {
      logger.error(error, 'A snapshot of etcd could not be saved', { directory });
      next = Math.min(next ?? Infinity, clock.now() + LOOK_MS);
    }
  }
}

/** One snapshot now; its file is complete and its checksum right. */
export async function saveEtcdSnapshot(
  { clock }: Pick<Context, 'clock'>,
  store: Pick<Store, 'snapshot'>,
  directory: string,
): Promise<SnapshotFile> {
  makeDirectoryDurably(directory, 0o700);
  const time = formatTime(clock.now());
  const file = path.join(directory, `etcd-snapshot-${time.replaceAll(/[-:]/g, '')}.db`);
  const { size } = await saveSnapshot(store.snapshot(), file);
  return { file, bytes: size, time };
}

/** The newest first. */
export function listEtcdSnapshots(directory: string): SnapshotFile[] {
  if (!fs.existsSync(directory)) return [];
  return fs
    .readdirSync(directory)
    .filter((name) => NAME.test(name))
    .toSorted((a, b) => (a < b ? 1 : -1))
    .map((name) => {
      const file = path.join(directory, name);
      const digits = NAME.exec(name)![1]!;
      const time = digits.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
      return { file, bytes: fs.statSync(file).size, time };
    });
}

function removeOld(directory: string, retention: number): void {
  for (const { file } of listEtcdSnapshots(directory).slice(Math.max(1, retention))) fs.rmSync(file, { force: true });
}
