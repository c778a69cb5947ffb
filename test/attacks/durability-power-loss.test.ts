import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../src/etcd/index.ts';
import { RealClock, SeededRandom } from '../../src/kernel/index.ts';
import { everything, requires } from '../requires.ts';
import { DiskImage, everythingIsKept, type Luck, nothingIsKept, randomLuck } from './power-loss/disk-image.ts';
import { buildRecorder, cutPower, type DiskRecord, readRecords, recordedEnvironment } from './power-loss/recorder.ts';
import { checkEvents, type Report, runAndKill, StorePromises } from './store-promises.ts';

const skip = requires('gcc');
const clock = new RealClock();
const random = new SeededRandom('power-loss');
const ROUNDS = everything ? 50 : 3;
/** How often the power goes in a round: the record is played up to that many moments. */
const MOMENTS = everything ? 20 : 8;

const LUCKS: readonly Luck[] = [nothingIsKept, randomLuck(random), randomLuck(random), everythingIsKept];

let scratch = '';
let recorder = '';

describe.skipIf(skip !== undefined)(`power loss${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'k8ts-power-'));
    recorder = buildRecorder(scratch);
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it(`leaves a store that opens and has every acknowledged write, ${ROUNDS} times`, { timeout: ROUNDS * 60_000 }, async () => {
    const promises = new StorePromises();
    let moments = 0;
    const root = join(scratch, 'root');
    const image = join(scratch, 'image');
    mkdirSync(root);
    for (let round = 0; round < ROUNDS; round++) {
      const before = new DiskImage(root);
      const log = join(scratch, `log-${round}`);
      const environment = recordedEnvironment(recorder, { root, log });
      const reports = await runAndKill(clock, { directory: join(root, 'data', 'etcd'), round, defragment: true, environment, killAfterMs: 200 + random.integer(600), end: () => cutPower(log) });
      promises.startRound(round);
      moments += await losePower({ before, log, reports, promises, image });
      rmSync(root, { recursive: true });
      cpSync(image, root, { recursive: true });
    }
    console.log(`power loss: ${ROUNDS} processes, ${moments} moments, ${promises.count} acknowledged transactions`);
    expect(promises.count).toBeGreaterThan(ROUNDS * 10);
  });
});

/** Half of them right behind a change of a directory, where an unsynced rename or removal shows; the last at the end. */
function momentsIn(records: readonly DiskRecord[]): number[] {
  const renames = records.flatMap(({ type }, i) => (type === 'rename' || type === 'unlink' || type === 'create' ? [i + 1] : []));
  const pick = (i: number): number => (i % 2 === 0 ? random.integer(records.length) : (renames[random.integer(renames.length)] ?? 0));
  return [...Array.from({ length: MOMENTS - 1 }, (_, i) => pick(i)).toSorted((a, b) => a - b), records.length];
}

interface Loss {
  readonly before: DiskImage;
  readonly log: string;
  readonly reports: readonly Report[];
  readonly promises: StorePromises;
  readonly image: string;
}

/** Plays the record of a process, and at several moments looks at what a power loss would have left; ends with the last one. */
async function losePower({ before, log, reports, promises, image }: Loss): Promise<number> {
  const records = readRecords(log);
  const at = momentsIn(records);
  let played = 0;
  let told = 0;
  for (const [moment, end] of at.entries()) {
    while (played < end) before.apply(records[played++]!);
    const time = records[end - 1]?.time ?? 0n;
    while (told < reports.length && reports[told]!.time <= time) promises.take(reports[told++]!);
    if (end === records.length) {
      expect(before.differences(), 'the recorder must see every write').toEqual([]);
      while (told < reports.length) promises.take(reports[told++]!);
    }
    rmSync(image, { recursive: true, force: true });
    mkdirSync(image);
    before.writeTo(image, LUCKS[moment % LUCKS.length]!, random);
    const store = await openEmbeddedStore({ directory: join(image, 'data', 'etcd'), clock });
    await promises.checkKept(store);
    const revision = await store.revision();
    await checkEvents(store, 2, revision);
    if (end === records.length) await promises.takeStored(store);
    await store.close();
  }
  return at.length;
}
