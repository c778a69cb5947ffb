import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../src/etcd/index.ts';
import { RealClock, SeededRandom } from '../../src/kernel/index.ts';
import { ApiConnection } from '../api-connection.ts';
import { type Credentials, type K8tsProcess, startK8ts } from '../k8ts-process.ts';
import { everything, requires } from '../requires.ts';
import { AcknowledgedWrites } from './acknowledged-writes.ts';
import { DiskImage, everythingIsKept, type Luck, nothingIsKept, randomLuck } from './power-loss/disk-image.ts';
import { buildRecorder, cutPower, type DiskRecord, readRecords, recordedEnvironment } from './power-loss/recorder.ts';
import { checkEvents, type Report, runAndKill, StorePromises } from './store-promises.ts';

const skip = requires('gcc');
const clock = new RealClock();
const random = new SeededRandom('power-loss');
const ROUNDS = everything ? 50 : 2;
/** How often the power goes in a round: the record is played up to that many moments. */
const MOMENTS = everything ? 20 : 8;

const LANES = 16;

const LUCKS: readonly Luck[] = [nothingIsKept, randomLuck(random), randomLuck(random), everythingIsKept];

let scratch = '';
let recorder = '';

describe.skipIf(skip !== undefined)(`power loss${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'k8ts-power-'));
    recorder = buildRecorder(scratch);
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it(
    `leaves a store that opens and has every acknowledged write, ${ROUNDS} times`,
    { timeout: ROUNDS * 60_000 },
    async () => {
      const promises = new StorePromises();
      let moments = 0;
      const root = join(scratch, 'root');
      const image = join(scratch, 'image');
      mkdirSync(root);
      for (let round = 0; round < ROUNDS; round++) {
        const before = new DiskImage(root);
        const log = join(scratch, `log-${round}`);
        const environment = recordedEnvironment(recorder, { root, log });
        const reports = await runAndKill(clock, {
          directory: join(root, 'data', 'etcd'),
          round,
          defragment: true,
          environment,
          killAfterMs: 200 + random.integer(600),
          end: () => cutPower(log),
        });
        promises.startRound(round);
        moments += await losePower({ before, log, reports, promises, image });
        rmSync(root, { recursive: true });
        renameSync(image, root);
      }
      console.log(`power loss: ${ROUNDS} processes, ${moments} moments, ${promises.count} acknowledged transactions`);
      expect(promises.count).toBeGreaterThan(ROUNDS * 10);
    },
  );

  it(
    `leaves a cluster that starts, with its users and every acknowledged write, ${ROUNDS} times`,
    { timeout: ROUNDS * 60_000 + 60_000 },
    async () => {
      const root = join(scratch, 'cluster');
      const image = join(scratch, 'cluster-image');
      mkdirSync(root);
      const writes = new AcknowledgedWrites();
      const trust = new Trust();
      for (let round = 0; round < ROUNDS; round++) {
        const disk = new DiskImage(root);
        const log = join(scratch, `cluster-log-${round}`);
        const k8ts = await startCluster(root, recordedEnvironment(recorder, { root, log }));
        await trust.check(k8ts, writes);
        await writeUntilPowerLoss(k8ts, { writes, round, log });
        const records = readRecords(log);
        // The very first start is the one that makes everything: the power goes in the middle of it, too.
        const inStart = round === 0 ? random.integer(records.findIndex(({ time }) => time > trust.since)) : 0;
        for (const record of records.slice(0, inStart)) disk.apply(record);
        if (round === 0) {
          disk.writeTo(emptied(image), randomLuck(random), random);
          await (await startCluster(image, process.env)).stop('SIGKILL');
        }
        for (const record of records.slice(inStart)) disk.apply(record);
        expect(disk.differences(), 'the recorder must see every write').toEqual([]);
        disk.writeTo(emptied(image), LUCKS[(round + 1) % LUCKS.length]!, random);
        rmSync(root, { recursive: true });
        renameSync(image, root);
      }
      const k8ts = await startCluster(root, process.env);
      await trust.check(k8ts, writes);
      await k8ts.stop('SIGKILL');
      console.log(`power loss: ${ROUNDS} clusters, ${writes.count} acknowledged writes`);
      expect(writes.refused).toEqual([]);
      expect(writes.count).toBeGreaterThan(ROUNDS * 20);
    },
  );
});

const startCluster = (root: string, environment: NodeJS.ProcessEnv): Promise<K8tsProcess> =>
  startK8ts({ dataDirectory: join(root, 'data'), flags: ['--controllers', 'none'], environment });

function emptied(directory: string): string {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  return directory;
}

async function writeUntilPowerLoss(
  k8ts: K8tsProcess,
  { writes, round, log }: { writes: AcknowledgedWrites; round: number; log: string },
): Promise<void> {
  const api = new ApiConnection(k8ts.server, k8ts.credentials);
  const lanes = Array.from({ length: LANES }, (_, lane) => writes.writeLane(api, { lane: `${lane}`, round }));
  await writes.acknowledged(clock, 20 + random.integer(250));
  await clock.sleep(random.integer(10));
  cutPower(log);
  await Promise.all(lanes);
  api.close();
  await k8ts.stop('SIGKILL');
}

/** Whoever was given a certificate or a token by the first start is known by every later one. */
class Trust {
  #credentials: Credentials | undefined;
  #token = '';
  /** When the first start had ended. */
  since = 0n;

  async check(k8ts: K8tsProcess, writes: AcknowledgedWrites): Promise<void> {
    const isFirst = this.#credentials === undefined;
    this.#credentials ??= k8ts.credentials;
    const api = new ApiConnection(k8ts.server, this.#credentials);
    if (isFirst) {
      this.since = process.hrtime.bigint();
      this.#token = await tokenOf(api);
    }
    await writes.checkKept(api);
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: this.#token } };
    const answer = await api.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: review });
    expect(answer.json()['status']).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:default:power' },
    });
    api.close();
  }
}

async function tokenOf(api: ApiConnection): Promise<string> {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'power' } };
  expect((await api.call('POST', accounts, { body: account })).status).toBe(201);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const answer = await api.call('POST', `${accounts}/power/token`, { body: request });
  return (answer.json()['status'] as { token: string }).token;
}

/** Half of them right behind a change of a directory, where an unsynced rename or removal shows; the last at the end. */
function momentsIn(records: readonly DiskRecord[]): number[] {
  const renames = records.flatMap(({ type }, i) =>
    type === 'rename' || type === 'unlink' || type === 'create' ? [i + 1] : [],
  );
  const pick = (i: number): number =>
    i % 2 === 0 ? random.integer(records.length) : (renames[random.integer(renames.length)] ?? 0);
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
    before.writeTo(emptied(image), LUCKS[moment % LUCKS.length]!, random);
    const store = await openEmbeddedStore({ directory: join(image, 'data', 'etcd'), clock });
    try {
      await promises.checkKept(store);
      await checkEvents(store, 2, await store.revision());
      if (end === records.length) await promises.takeStored(store);
    } finally {
      await store.close();
    }
  }
  return at.length;
}
