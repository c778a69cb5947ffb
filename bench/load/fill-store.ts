import { openEmbeddedStore } from '../../src/etcd/index.ts';
import { RealClock } from '../../src/kernel/index.ts';

const BATCH = 100;
/** Transactions under way at a time: they share commits. */
const LANES = 8;

export interface StoredObject {
  readonly key: string;
  readonly object: object;
}

/** Writes objects into the store of an API server that does not run: faster than through it. */
export async function fillStore(
  directory: string,
  count: number,
  objectAt: (i: number) => StoredObject,
): Promise<void> {
  const store = await openEmbeddedStore({ directory, clock: new RealClock() });
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next += BATCH;
      await store.txn({
        success: Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => {
          const { key, object } = objectAt(from + i);
          return { op: 'put' as const, key, value: Buffer.from(JSON.stringify(object)) };
        }),
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await store.close();
}
