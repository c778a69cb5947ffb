/** Re-encrypts all stale values, so that an old key can be removed after a rotation. */
import { prefixRange, type Store } from '../../etcd/index.ts';
import { REGISTRY } from '../storage/keys.ts';
import type { EncryptionAtRest } from './encryption-at-rest.ts';

const PAGE = 500;

/** Returns how many values it has seen and rewritten. Values that change meanwhile are skipped: that write uses the new key. */
export async function reencryptAll(
  store: Store,
  transformer: EncryptionAtRest,
): Promise<{ seen: number; rewritten: number }> {
  let seen = 0;
  let rewritten = 0;
  const { rangeEnd } = prefixRange(REGISTRY);
  for (let key = REGISTRY; ;) {
    const page = await store.range({ key, rangeEnd, limit: PAGE, isSweep: true });
    await transformer.prepare(page.kvs);
    for (const kv of page.kvs) {
      seen++;
      const { value, stale } = transformer.fromStorage(kv.value, kv.key);
      if (!stale) continue;
      const written = await transformer.toStorage(Buffer.from(value), kv.key);
      const { succeeded } = await store.txn({
        compare: [{ key: kv.key, target: 'mod', result: 'equal', value: kv.modRevision }],
        success: [{ op: 'put', key: kv.key, value: written, ...(kv.lease ? { lease: kv.lease } : {}) }],
      });
      if (succeeded) rewritten++;
    }
    if (!page.more || page.kvs.length === 0) return { seen, rewritten };
    key = `${page.kvs.at(-1)!.key}\0`;
  }
}
