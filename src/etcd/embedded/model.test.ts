import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RealClock, SeededRandom, VirtualClock } from '../../kernel/index.ts';
import { createMemoryStore } from '../memory.ts';
import { type Compare, type Store, StoreError, type TxnOperation, type TxnRequest, type WatchEvent } from '../store.ts';
import { openEmbeddedStore } from './store.ts';

/**
 * The memory store is the model: given the same requests in the same order, the embedded store must give the same
 * answers, whatever is on its way to the disk, compacted, rewritten or read back after a restart.
 */
describe('embedded store against the memory store', () => {
  it.each(Array.from({ length: process.env.K8TS_EVERYTHING === '1' ? 40 : 3 }, (_, i) => i + 1))(
    'answers random requests like the model (seed %i)',
    { timeout: 60_000 },
    async (seed) => {
      const random = new SeededRandom(seed);
      const directory = mkdtempSync(join(tmpdir(), 'k8ts-model-'));
      const model = createMemoryStore({ clock: new VirtualClock() });
      // A tiny cache, so that pairs are read from the file again and again.
      const options = { directory, clock: new RealClock(), cacheBytes: 2000, history: { revisions: 1e9, bytes: 1e12 } };
      let store = await openEmbeddedStore(options);
      let compacted = 0;
      try {
        for (let round = 0; round < 60; round++) {
          const revision = await model.revision();
          // A transaction that reads an old revision may have to wait for history, so it comes alone: the order matters.
          const alone = random.integer(3) === 0;
          const requests = Array.from({ length: alone ? 1 : 30 }, () =>
            randomTxn(random, revision, alone ? compacted : Infinity),
          );
          const answers = async (target: Store): Promise<unknown[]> =>
            Promise.all(requests.map((request) => outcome(target.txn(request))));
          expect(await answers(store)).toEqual(await answers(model));
          await compareReads(store, model, random, compacted);
          const dice = random.integer(12);
          if (dice === 0) {
            await store.close();
            store = await openEmbeddedStore(options);
          } else if (dice === 1) {
            const now = await model.revision();
            compacted = Math.min(now, compacted + random.integer(Math.max(1, now - compacted)) + 1);
            expect(await outcome(store.compact(compacted))).toEqual(await outcome(model.compact(compacted)));
          } else if (dice === 2) await store.defragment();
        }
        expect(await store.hash()).toEqual(await model.hash());
      } finally {
        await store.close();
        await model.close();
        rmSync(directory, { recursive: true });
      }
    },
  );
});

const KEYS = 40;
const keyOf = (random: SeededRandom): string => `k${String(random.integer(KEYS)).padStart(2, '0')}`;

function randomRange(random: SeededRandom): { key: string; rangeEnd?: string } {
  const key = keyOf(random);
  if (random.integer(3) === 0) return { key };
  return { key, rangeEnd: random.integer(4) === 0 ? '\0' : keyOf(random) };
}

function randomTxn(random: SeededRandom, revision: number, compacted: number): TxnRequest {
  const branch = (): TxnOperation[] =>
    Array.from({ length: 1 + random.integer(3) }, () => randomOperation(random, revision, compacted));
  const compare: Compare[] = [];
  if (random.integer(2) === 0) {
    const target = (['mod', 'create', 'version'] as const)[random.integer(3)]!;
    const result = (['equal', 'greater', 'less', 'not-equal'] as const)[random.integer(4)]!;
    compare.push({
      ...randomRange(random),
      target,
      result,
      value: random.integer(target === 'version' ? 4 : revision + 5),
    });
  }
  return { compare, success: branch(), failure: branch() };
}

function randomOperation(random: SeededRandom, revision: number, compacted: number): TxnOperation {
  const dice = random.integer(10);
  if (dice < 5) {
    const value = Buffer.from(`${random.integer(1e6)}${'.'.repeat(random.integer(40) === 0 ? 5000 : 20)}`);
    return { op: 'put', key: keyOf(random), value, prevKv: random.integer(2) === 0 };
  }
  if (dice < 7) return { op: 'delete', ...randomRange(random), prevKv: true };
  const old = compacted !== Infinity && random.integer(2) === 0;
  return {
    op: 'range',
    ...randomRange(random),
    limit: random.integer(5),
    revision: old ? Math.max(1, compacted - 1) + random.integer(Math.max(1, revision - compacted)) : 0,
  };
}

async function compareReads(store: Store, model: Store, random: SeededRandom, compacted: number): Promise<void> {
  const now = await model.revision();
  expect(await store.revision()).toBe(now);
  for (let i = 0; i < 5; i++) {
    const revision = random.integer(2) === 0 ? 0 : Math.max(1, compacted - 1) + random.integer(now - compacted + 2);
    const request = { ...randomRange(random), limit: random.integer(6), revision };
    expect(await outcome(store.range(request))).toEqual(await outcome(model.range(request)));
  }
  const start = Math.max(1, now - random.integer(200));
  expect(await events(store, start, now)).toEqual(await events(model, start, now));
}

async function events(store: Store, startRevision: number, upTo: number): Promise<unknown> {
  const found: WatchEvent[] = [];
  const watch = store.watch({ key: 'k', rangeEnd: 'l', startRevision, prevKv: true });
  watch.requestProgress();
  try {
    for await (const batch of watch) {
      found.push(...batch.events);
      if (batch.revision >= upTo) break;
    }
  } catch (error) {
    return error instanceof StoreError ? `${error.code} ${error.compactRevision}` : String(error);
  }
  // What the first readable revision replaced may or may not still be known.
  for (const event of found) if (event.kv.modRevision === startRevision) delete event.prevKv;
  return found.map(simplified);
}

/** Bytes as text: a difference is found faster, and can be read. */
function simplified(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (Array.isArray(value)) return value.map(simplified);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, simplified(property)]));
}

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    return simplified(await promise);
  } catch (error) {
    if (error instanceof StoreError) return { code: error.code, compactRevision: error.compactRevision };
    throw error;
  }
}
