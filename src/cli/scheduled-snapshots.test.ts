import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createContext, VirtualClock } from '../kernel/index.ts';
import { listSnapshots, runScheduledSnapshots } from './scheduled-snapshots.ts';

const HOUR_MS = 3600_000;
let root: string;
beforeEach(() => (root = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-schedule-'))));
afterEach(() => fs.rmSync(root, { recursive: true }));

function start(clock: VirtualClock, save: (file: string) => Promise<void>): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const ctx = createContext({ clock, signal: stopped.signal, writeLog: () => undefined });
  const finished = runScheduledSnapshots(ctx, {
    directory: path.join(root, 'snapshots'),
    intervalMs: 6 * HOUR_MS,
    retention: 3,
    save: async (file) => {
      await save(file);
      return { revision: 1, bytes: 1 };
    },
  });
  return {
    async stop() {
      stopped.abort();
      await finished;
    },
  };
}

const names = (): string[] => listSnapshots(path.join(root, 'snapshots')).map(({ time }) => time.slice(11, 16));

it('saves at once, then in each interval, and keeps the newest', async () => {
  const clock = new VirtualClock();
  const began = clock.now();
  const taken: number[] = [];
  const save = (file: string): Promise<void> => {
    taken.push((clock.now() - began) / HOUR_MS);
    fs.writeFileSync(file, 'x');
    return Promise.resolve();
  };
  const first = start(clock, save);
  await clock.advance(1000);
  expect(names()).toHaveLength(1);
  fs.writeFileSync(path.join(root, 'snapshots', 'mine.tgz'), 'kept');
  await clock.advance(25 * HOUR_MS);
  expect(taken.map(Math.round)).toEqual([0, 6, 12, 18, 24]);
  expect(names()).toHaveLength(3);
  expect(fs.statSync(path.join(root, 'snapshots')).mode & 0o777).toBe(0o700);
  await first.stop();

  // A restart goes on with the schedule.
  const second = start(clock, save);
  await clock.advance(4 * HOUR_MS);
  expect(taken).toHaveLength(5);
  await clock.advance(2 * HOUR_MS);
  expect(taken).toHaveLength(6);
  expect(fs.existsSync(path.join(root, 'snapshots', 'mine.tgz'))).toBe(true);
  await second.stop();
});

it('removes nothing while saving fails, and tries again soon', async () => {
  const clock = new VirtualClock();
  let broken = false;
  const running = start(clock, (file) => {
    if (broken) return Promise.reject(new Error('no space left on device'));
    fs.writeFileSync(file, 'x');
    return Promise.resolve();
  });
  await clock.advance(13 * HOUR_MS);
  expect(names()).toHaveLength(3);
  broken = true;
  await clock.advance(24 * HOUR_MS);
  expect(names()).toHaveLength(3);
  const newest = listSnapshots(path.join(root, 'snapshots'))[0]!.time;
  broken = false;
  await clock.advance(6 * 60_000);
  expect(listSnapshots(path.join(root, 'snapshots'))[0]!.time > newest).toBe(true);
  await running.stop();
});
