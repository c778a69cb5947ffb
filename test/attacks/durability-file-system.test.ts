import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../src/etcd/index.ts';
import { RealClock, SeededRandom } from '../../src/kernel/index.ts';
import { everything, findProgram, requires } from '../requires.ts';
import { checkEvents, runAndKill, StorePromises } from './store-promises.ts';

const clock = new RealClock();
const random = new SeededRandom('file-system');
const ROUNDS = everything ? 50 : 2;
const IMAGE_BYTES = 64 * 1024 * 1024;

let scratch = '';
let mountPoint = '';
let image = '';
let shutDown = '';
let copies = 0;

const skip = requires('root', 'gcc', 'mount', 'umount', 'mkfs.ext4') ?? loopObstacle();

/** Containers often may not have loop devices. */
function loopObstacle(): string | undefined {
  try {
    execFileSync('losetup', ['--find'], { stdio: 'pipe' });
    return undefined;
  } catch {
    return `needs a loop device${findProgram('losetup') === undefined ? ' and losetup' : ''}`;
  }
}

/** The kernel's own idea of what a power loss leaves, as a second opinion to the recorder's of the least that POSIX promises. */
describe.skipIf(skip !== undefined)(
  `an ext4 that is shut down without its journal${skip === undefined ? '' : ` (skipped: ${skip})`}`,
  () => {
    beforeAll(() => {
      scratch = mkdtempSync(join(tmpdir(), 'k8ts-ext4-'));
      [mountPoint, image, shutDown] = [join(scratch, 'mount'), join(scratch, 'image'), join(scratch, 'shut-down')];
      mkdirSync(mountPoint);
      execFileSync('gcc', ['-O1', '-Wall', '-o', shutDown, join(import.meta.dirname, 'power-loss', 'shut-down.c')]);
      writeFileSync(image, '');
      execFileSync('truncate', ['-s', String(IMAGE_BYTES), image]);
      execFileSync('mkfs.ext4', ['-q', '-F', image]);
    });
    afterAll(() => rmSync(scratch, { recursive: true, force: true }));

    it(`has every acknowledged write, ${ROUNDS} times`, { timeout: ROUNDS * 30_000 }, async () => {
      const promises = new StorePromises();
      const directory = join(mountPoint, 'data', 'etcd');
      for (let round = 0; round < ROUNDS; round++) {
        await mounted(async () => {
          const end = (): void => void execFileSync(shutDown, [mountPoint]);
          const reports = await runAndKill(clock, {
            directory,
            round,
            defragment: true,
            killAfterMs: 200 + random.integer(600),
            end,
            endMs: 50,
            ignoreErrors: true,
          });
          promises.startRound(round);
          for (const report of reports) promises.take(report);
        });
        await mounted(async () => {
          const store = await openEmbeddedStore({ directory, clock });
          try {
            await promises.checkKept(store);
            await checkEvents(store, 2, await store.revision());
            await promises.takeStored(store);
          } finally {
            await store.close();
          }
        });
      }
      console.log(`ext4 shut down: ${ROUNDS} times, ${promises.count} acknowledged transactions`);
      expect(promises.count).toBeGreaterThan(ROUNDS * 10);
    });
  },
);

/**
 * Each time from a copy of the image: containers that start meanwhile keep what is mounted, and a file system that was
 * shut down stays so while anybody keeps it.
 */
async function mounted(use: () => Promise<void>): Promise<void> {
  const copy = join(scratch, `image-${++copies}`);
  copyFileSync(image, copy);
  rmSync(image);
  image = copy;
  execFileSync('mount', ['-o', 'loop', image, mountPoint]);
  try {
    await use();
  } finally {
    spawnSync('sync', ['-f', mountPoint]);
    execFileSync('umount', [mountPoint]);
  }
}
