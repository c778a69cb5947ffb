import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../src/etcd/index.ts';
import { RealClock, SeededRandom } from '../../src/kernel/index.ts';
import { everything } from '../requires.ts';
import { checkEvents, runAndKill, StorePromises } from './store-promises.ts';

const clock = new RealClock();
const random = new SeededRandom('crash');
const ROUNDS = everything ? 100 : 3;

describe('a killed store', () => {
  it(`has every acknowledged write after SIGKILL, ${ROUNDS} times`, { timeout: ROUNDS * 20_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'k8ts-crash-'));
    const promises = new StorePromises();
    let revision = 1;
    let events = 0;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const reports = await runAndKill(clock, {
          directory,
          round,
          defragment: round % 2 === 1,
          killAfterMs: 5 + random.integer(400),
        });
        expect(reports[0]).toMatchObject({ kind: 'open', revision });
        promises.startRound(round);
        for (const report of reports) promises.take(report);
        const store = await openEmbeddedStore({ directory, clock });
        await promises.checkKept(store);
        await promises.takeStored(store);
        const now = await store.revision();
        events += await checkEvents(store, revision + 1, now);
        revision = now;
        await store.close();
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
    console.log(
      `crash test: ${ROUNDS} kills, ${promises.count} acknowledged transactions, ${events} events replayed, revision ${revision}`,
    );
    expect(promises.count).toBeGreaterThan(ROUNDS * 10);
  });
});
