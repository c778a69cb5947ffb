import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RealClock, SeededRandom } from '../../src/kernel/index.ts';
import { ApiConnection } from '../api-connection.ts';
import { type K8tsProcess, startK8ts } from '../k8ts-process.ts';
import { everything } from '../requires.ts';
import { AcknowledgedWrites, ResumedWatch } from './acknowledged-writes.ts';

const clock = new RealClock();
const random = new SeededRandom('apiserver-crash');
const ROUNDS = everything ? 50 : 2;
const LANES = 16;

describe('kill -9 under write load', () => {
  it(`loses no acknowledged write and no event, ${ROUNDS} times`, { timeout: ROUNDS * 30_000 + 60_000 }, async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'k8ts-apiserver-crash-'));
    const writes = new AcknowledgedWrites();
    const watch = new ResumedWatch(1);
    let k8ts: K8tsProcess | undefined;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        k8ts = await startK8ts({ dataDirectory, flags: ['--controllers', 'none'] });
        await checkKept(k8ts, writes);
        await writeUntilKilled(k8ts, { writes, watch, round });
      }
      k8ts = await startK8ts({ dataDirectory, flags: ['--controllers', 'none'] });
      const api = new ApiConnection(k8ts.server, k8ts.credentials);
      const last = await writes.create(api, 'last');
      const found = await writes.checkKept(api);
      await watch.follow(api, Number(last!.metadata.resourceVersion));
      watch.check(found);
      api.close();
      console.log(`crash test: ${ROUNDS} kills, ${writes.count} acknowledged writes, ${watch.events} events`);
      expect(writes.refused).toEqual([]);
      expect(writes.count).toBeGreaterThan(ROUNDS * 20);
    } finally {
      await k8ts?.stop('SIGKILL');
      rmSync(dataDirectory, { recursive: true, force: true });
    }
  });
});

interface Round {
  readonly writes: AcknowledgedWrites;
  readonly watch: ResumedWatch;
  readonly round: number;
}

async function writeUntilKilled(k8ts: K8tsProcess, { writes, watch, round }: Round): Promise<void> {
  const connections = [0, 1].map(() => new ApiConnection(k8ts.server, k8ts.credentials));
  const watching = watch.follow(connections[0]!);
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    writes.writeLane(connections[lane % 2]!, { lane: `${lane}`, round }),
  );
  await writes.acknowledged(clock, 20 + random.integer(250));
  await clock.sleep(random.integer(10));
  await k8ts.stop('SIGKILL');
  for (const connection of connections) connection.close();
  await Promise.all([...lanes, watching]);
}

async function checkKept(k8ts: K8tsProcess, writes: AcknowledgedWrites): Promise<void> {
  const api = new ApiConnection(k8ts.server, k8ts.credentials);
  await writes.checkKept(api);
  api.close();
}
