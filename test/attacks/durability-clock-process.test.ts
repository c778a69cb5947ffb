import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RealClock } from '../../src/kernel/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { ApiConnection, type KubeAnswer } from '../api-connection.ts';
import { type K8tsProcess, startK8ts } from '../k8ts-process.ts';
import { everything, requires } from '../requires.ts';
import { AcknowledgedWrites, CONFIG_MAPS, ResumedWatch } from './acknowledged-writes.ts';

const skip = requires('gcc');
const clock = new RealClock();
const DAY_SECONDS = 24 * 3600;
const LANES = 8;
/** How far the clock is from the true time, one after the other; and whether certificates that were made at the start are valid then. */
const SETTINGS: readonly { name: string; seconds: number; isValid: boolean }[] = [
  { name: 'a day forward', seconds: DAY_SECONDS, isValid: true },
  { name: 'a day back again', seconds: 0, isValid: true },
  { name: 'ten years forward', seconds: 3653 * DAY_SECONDS, isValid: false },
  { name: 'ten years back again', seconds: 0, isValid: true },
  { name: 'a day back', seconds: -DAY_SECONDS, isValid: false },
  { name: 'a day forward again', seconds: 0, isValid: true },
];
const WRITE_MS = everything ? 3000 : 400;
/** A process at rest uses next to nothing; one that spins uses a whole core. */
const MOST_PROCESSOR_SHARE = 0.6;

describe.skipIf(skip !== undefined)(
  `a process whose wall clock jumps${skip === undefined ? '' : ` (skipped: ${skip})`}`,
  () => {
    it('loses no acknowledged write and no event, keeps its node, and does not spin', async () => {
      const scratch = mkdtempSync(join(tmpdir(), 'k8ts-clock-'));
      const wallClock = new WallClock(scratch);
      const writes = new AcknowledgedWrites();
      const watch = new ResumedWatch(1);
      let k8ts: K8tsProcess | undefined;
      try {
        k8ts = await startK8ts({
          dataDirectory: join(scratch, 'data'),
          flags: ['--nodes', '0', '--simulated-nodes', '1', '--addons', 'none'],
          environment: wallClock.environment,
        });
        const api = new ApiConnection(k8ts.server, k8ts.credentials);
        const watching = watch.follow(api);
        for (const [round, { name, seconds, isValid }] of SETTINGS.entries()) {
          wallClock.set(seconds);
          if (isValid) await writeFor(api, { writes, round });
          else
            expect((await new ApiConnection(k8ts.server, k8ts.credentials).call('GET', CONFIG_MAPS)).status, name).toBe(
              401,
            );
          expect(await leastProcessorShare(k8ts.pid), `${name}: processor time`).toBeLessThan(MOST_PROCESSOR_SHARE);
          expect(k8ts.exit, `${name}: ${k8ts.output().slice(-2000)}`).toBeUndefined();
          if (!isValid) continue;
          expect(await nodeIsReady(api), name).toBe(true);
        }
        const last = await writes.create(api, 'last');
        const found = await writes.checkKept(api);
        const lastRevision = Number(last!.metadata.resourceVersion);
        await until('the watch has seen the last write', () => watch.revision === lastRevision);
        api.close();
        await watching;
        watch.check(found);
        expect(writes.refused).toEqual([]);
        expect(writes.count).toBeGreaterThan(50);
        await k8ts.stop('SIGKILL');
        // A restart finds the same.
        k8ts = await startK8ts({ dataDirectory: join(scratch, 'data'), flags: ['--controllers', 'none'] });
        const again = new ApiConnection(k8ts.server, k8ts.credentials);
        await writes.checkKept(again);
        again.close();
      } finally {
        await k8ts?.stop('SIGKILL');
        rmSync(scratch, { recursive: true, force: true });
      }
    });
  },
);

class WallClock {
  readonly #file: string;
  readonly environment: NodeJS.ProcessEnv;

  constructor(directory: string) {
    const library = join(directory, 'wall-clock.so');
    this.#file = join(directory, 'wall-clock');
    execFileSync('gcc', [
      '-O1',
      '-Wall',
      '-shared',
      '-fPIC',
      '-o',
      library,
      join(import.meta.dirname, 'clock-jump', 'wall-clock.c'),
    ]);
    writeFileSync(this.#file, Buffer.alloc(8));
    this.environment = { ...process.env, LD_PRELOAD: library, WALL_CLOCK_FILE: this.#file };
  }

  set(seconds: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(seconds));
    // In place: the process has the file mapped.
    writeFileSync(this.#file, bytes, { flag: 'r+' });
  }
}

async function writeFor(
  api: ApiConnection,
  { writes, round }: { writes: AcknowledgedWrites; round: number },
): Promise<void> {
  const end = clock.monotonic() + WRITE_MS;
  const stopped = (): boolean => clock.monotonic() > end;
  await Promise.all(
    Array.from({ length: LANES }, (_, lane) => writes.writeLane(api, { lane: `${lane}`, round, stopped })),
  );
}

/** The compiler and the garbage collector may work for a moment; a process that spins does it all the time. */
async function leastProcessorShare(pid: number): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < 10 && least >= MOST_PROCESSOR_SHARE; tries++)
    least = Math.min(least, await processorShare(pid));
  return least;
}

/** What part of a core a process uses for a while, once it has had a moment to settle. */
async function processorShare(pid: number): Promise<number> {
  await clock.sleep(300);
  const [before, began] = [processorTicks(pid), clock.monotonic()];
  await clock.sleep(700);
  return ((processorTicks(pid) - before) * 10) / (clock.monotonic() - began);
}

/** User and system time, in hundredths of a second. */
function processorTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

async function nodeIsReady(api: ApiConnection): Promise<boolean> {
  const list = (await api.call('GET', '/api/v1/nodes')).json();
  const [node] = list['items'] as (KubeAnswer & { status: { conditions: { type: string; status: string }[] } })[];
  return node!.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
