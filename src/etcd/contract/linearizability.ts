import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/index.ts';
import type { Store } from '../store.ts';
import { bytes, get, ownPrefix, put, remove, text, type UseStore } from './fixture.ts';
import { findLinearization, type Operation } from './linearize.ts';

const KEYS = 3;
const CLIENTS = 6;
const ROUNDS = 25;

/** Each client runs random operations on few keys; the checker then looks for one order that explains all answers. */
export function linearizabilityContract(use: UseStore): void {
  describe('linearizability', () => {
    it.each([1, 2, 3, 4])('holds on a random concurrent history (seed %i)', async (seed) => {
      const { store } = use();
      const prefix = ownPrefix();
      const history: Operation[] = [];
      let moment = 0;
      const client = async (id: number): Promise<void> => {
        const random = new SeededRandom(seed * 100 + id);
        for (let i = 0; i < ROUNDS; i++) {
          const key = prefix + String(random.integer(KEYS));
          const start = moment++;
          const done = await randomOperation(store, key, `${id}.${i}`, random.integer(10));
          history.push({ ...done, key, start, end: moment++ });
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, (_, id) => client(id)));
      expect(history.length).toBe(CLIENTS * ROUNDS);
      for (let k = 0; k < KEYS; k++) {
        const ofKey = history.filter((operation) => operation.key === prefix + String(k));
        expect(findLinearization(ofKey), `key ${k}`).not.toBeUndefined();
      }
      // Revisions order all writes: a write that ended before another began has the smaller one.
      const writes = history
        .filter((operation) => operation.revision !== undefined)
        .toSorted((a, b) => a.revision! - b.revision!);
      let latestStart = -1;
      for (const write of writes) {
        expect(write.end).toBeGreaterThan(latestStart);
        latestStart = Math.max(latestStart, write.start);
      }
    });
  });
}

async function randomOperation(
  store: Store,
  key: string,
  value: string,
  choice: number,
): Promise<Pick<Operation, 'kind' | 'written' | 'expected' | 'observed' | 'revision'>> {
  if (choice < 4) {
    const pair = await get(store, key);
    return { kind: 'read', observed: pair === undefined ? undefined : text(pair.value) };
  }
  if (choice < 7) return { kind: 'write', written: value, revision: await put(store, key, value) };
  if (choice < 8) {
    const { deleted, revision } = await remove(store, key);
    return deleted === 1 ? { kind: 'write', written: undefined, revision } : { kind: 'read', observed: undefined };
  }
  const before = await get(store, key);
  const result = await store.txn({
    compare: [{ key, target: 'mod', result: 'equal', value: before?.modRevision ?? 0 }],
    success: [{ op: 'put', key, value: bytes(value) }],
    failure: [{ op: 'range', key }],
  });
  if (result.succeeded) {
    const expected = before === undefined ? undefined : text(before.value);
    return { kind: 'swap', expected, written: value, revision: result.revision };
  }
  const [read] = result.responses;
  const current = read?.op === 'range' ? read.kvs[0] : undefined;
  return { kind: 'read', observed: current === undefined ? undefined : text(current.value) };
}
