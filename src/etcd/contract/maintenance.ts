import { describe, expect, it } from 'vitest';
import { get, ownPrefix, put, type UseStore } from './fixture.ts';

export function maintenanceContract(use: UseStore): void {
  describe('maintenance', () => {
    it('reports its status', async () => {
      const { store } = use();
      const revision = await put(store, ownPrefix());
      const status = await store.status();
      expect(status.revision).toBe(revision);
      expect(status.version).toMatch(/^3\.\d+\.\d+/);
      expect(status.leader).not.toBe(0n);
      expect(status.dbSize).toBeGreaterThanOrEqual(status.dbSizeInUse);
      expect(await store.alarms()).toEqual([]);
    });

    it('has equal hashes for equal contents only', async () => {
      const { store } = use();
      const key = ownPrefix();
      const revision = await put(store, key, '1');
      const first = await store.hash(revision);
      expect(first.revision).toBe(revision);
      expect((await store.hash(revision)).hash).toBe(first.hash);
      await put(store, key, '2');
      expect((await store.hash()).hash).not.toBe(first.hash);
    });

    it('keeps everything through a defragmentation', async () => {
      const { store } = use();
      const key = ownPrefix();
      const revision = await put(store, key, '1');
      await store.defragment();
      expect(await get(store, key)).toMatchObject({ modRevision: revision });
      expect(await put(store, key, '2')).toBe(revision + 1);
    });

    it('streams a snapshot', async () => {
      const { store } = use();
      await put(store, ownPrefix(), 'in the snapshot');
      const chunks: Uint8Array[] = [];
      for await (const chunk of store.snapshot()) chunks.push(chunk);
      expect(Buffer.concat(chunks).includes('in the snapshot')).toBe(true);
    });
  });
}
