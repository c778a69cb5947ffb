import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEmbeddedStore, type Store } from '../src/etcd/index.ts';
import { RealClock, SeededRandom } from '../src/kernel/index.ts';
import { everything } from './requires.ts';

const clock = new RealClock();
const random = new SeededRandom('crash');
const ROUNDS = everything ? 100 : 5;

interface Told {
  opened: number;
  /** The last acknowledged write of each writer. */
  acked: Map<number, { i: number; revision: number }>;
  acks: number;
  /** The greatest revision that anybody was told of. */
  newest: number;
}

describe('a killed store', () => {
  it(`has every acknowledged write after SIGKILL, ${ROUNDS} times`, { timeout: ROUNDS * 20_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'k8ts-crash-'));
    let revision = 1;
    let acks = 0;
    let events = 0;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const told = await runAndKill(directory, round);
        expect(told.opened).toBe(revision);
        acks += told.acks;
        const store = await openEmbeddedStore({ directory, clock });
        const now = await store.revision();
        expect(now).toBeGreaterThanOrEqual(told.newest);
        for (const [writer, ack] of told.acked) await checkWriter(store, round, writer, ack);
        events += await checkEvents(store, revision + 1, now);
        revision = now;
        await store.close();
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
    console.log(`crash test: ${ROUNDS} kills, ${acks} acknowledged transactions, ${events} events replayed, revision ${revision}`);
    expect(acks).toBeGreaterThan(ROUNDS * 10);
  });
});

async function runAndKill(directory: string, round: number): Promise<Told> {
  const script = join(import.meta.dirname, 'etcd-crash-writer.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, directory, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  let killing: Promise<void> | undefined;
  child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
    output += chunk;
    if (killing === undefined && output.includes('ack')) {
      killing = clock.sleep(5 + random.integer(400)).then(() => void child.kill('SIGKILL'));
    }
  });
  await once(child, 'close');
  await killing;
  return readReport(output);
}

function readReport(output: string): Told {
  const told: Told = { opened: 0, acked: new Map(), acks: 0, newest: 0 };
  // The last line may be cut off by the kill.
  for (const line of output.split('\n').slice(0, -1)) {
    const [kind, ...numbers] = line.split(' ');
    const [first = 0, i = 0, revision = 0] = numbers.map(Number);
    if (kind === 'open') told.opened = first;
    else if (kind === 'seen') told.newest = Math.max(told.newest, first);
    else {
      told.acked.set(first, { i, revision });
      told.acks++;
      told.newest = Math.max(told.newest, revision);
    }
  }
  return told;
}

/** The acknowledged write, or the one after it, whose answer did not get out; both of its halves or none. */
async function checkWriter(store: Store, round: number, writer: number, ack: { i: number; revision: number }): Promise<void> {
  const { kvs } = await store.range({ key: `w/${writer}/`, rangeEnd: `w/${writer}0` });
  const [a, b, sometimes] = kvs;
  const [writtenIn, i] = Buffer.from(a!.value).toString().split('.').map(Number);
  expect(writtenIn).toBe(round);
  expect([ack.i, ack.i + 1]).toContain(i);
  if (i === ack.i) expect(a!.modRevision).toBe(ack.revision);
  else expect(a!.modRevision).toBeGreaterThan(ack.revision);
  expect(Buffer.compare(a!.value, b!.value)).toBe(0);
  expect(b!.modRevision).toBe(a!.modRevision);
  expect(sometimes === undefined).toBe(i! % 2 === 1);
  if (sometimes !== undefined) expect(sometimes.modRevision).toBe(a!.modRevision);
}

/** A watcher that saw everything before `from` sees each later revision exactly once. */
async function checkEvents(store: Store, from: number, to: number): Promise<number> {
  if (from > to) return 0;
  const { compactRevision } = await store.status();
  const start = Math.max(from, compactRevision);
  const watch = store.watch({ key: 'w/', rangeEnd: 'w0', startRevision: start });
  const revisions: number[] = [];
  let count = 0;
  for await (const batch of watch) {
    for (const { kv } of batch.events) if (revisions.at(-1) !== kv.modRevision) revisions.push(kv.modRevision);
    count += batch.events.length;
    if (batch.revision >= to) break;
  }
  expect(revisions).toEqual(Array.from({ length: to - start + 1 }, (_, i) => start + i));
  return count;
}
