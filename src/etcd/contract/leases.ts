import { describe, expect, it } from 'vitest';
import { failureCode, get, ownPrefix, put, takeEvents, type UseStore } from './fixture.ts';

export function leaseContract(use: UseStore): void {
  describe('leases', () => {
    it('are granted with the requested id, or a generated one', async () => {
      const { store } = use();
      const id = BigInt(process.pid) * 1000n + 7n;
      expect(await store.leaseGrant({ id, ttl: 100 })).toEqual({ id, ttl: 100 });
      expect(await failureCode(store.leaseGrant({ id, ttl: 100 }))).toBe('lease-exists');
      const own = await store.leaseGrant({ ttl: 50 });
      expect(own.id > 0n).toBe(true);
      expect(await store.leases()).toEqual(expect.arrayContaining([id, own.id]));
      await store.leaseRevoke(id);
      await store.leaseRevoke(own.id);
      expect(await store.leases()).not.toContain(id);
    });

    it('refuse a TTL above the maximum, and raise one below the minimum', async () => {
      const { store } = use();
      expect(await failureCode(store.leaseGrant({ ttl: 9_000_000_001 }))).toBe('lease-ttl-too-large');
      const short = await store.leaseGrant({ ttl: 1 });
      expect(short.ttl).toBe(2);
      await store.leaseRevoke(short.id);
    });

    it('have keys; a put without the lease detaches the key', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      const { id } = await store.leaseGrant({ ttl: 600 });
      for (const name of 'ab') await put(store, prefix + name, 'v', id);
      expect((await get(store, `${prefix}a`))?.lease).toBe(id);
      expect((await store.leaseTimeToLive(id, { keys: true })).keys.toSorted()).toEqual([`${prefix}a`, `${prefix}b`]);
      await put(store, `${prefix}a`);
      const status = await store.leaseTimeToLive(id, { keys: true });
      expect(status).toMatchObject({ id, grantedTtl: 600, keys: [`${prefix}b`] });
      expect(status.ttl).toBeGreaterThan(590);
      expect(status.ttl).toBeLessThanOrEqual(600);
      await store.leaseRevoke(id);
      expect(await get(store, `${prefix}a`)).toBeDefined();
      expect(await get(store, `${prefix}b`)).toBeUndefined();
    });

    it('delete all their keys at one revision when revoked', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      const { id } = await store.leaseGrant({ ttl: 600 });
      for (const name of 'abc') await put(store, prefix + name, 'v', id);
      const before = await store.revision();
      const watch = store.watch({ key: prefix, rangeEnd: `${prefix}z`, startRevision: before + 1 });
      await store.leaseRevoke(id);
      const events = await takeEvents(watch, 3);
      watch.cancel();
      expect(
        events.map((event) => `${event.type} ${event.kv.key.slice(prefix.length)} ${event.kv.modRevision - before}`),
      ).toEqual(['delete a 1', 'delete b 1', 'delete c 1']);
    });

    it('that do not exist are reported by name', async () => {
      const { store } = use();
      const id = 987_654_321n;
      expect(await failureCode(store.leaseRevoke(id))).toBe('lease-not-found');
      expect(await store.leaseKeepAlive(id)).toEqual({ ttl: 0 });
      expect(await store.leaseTimeToLive(id)).toMatchObject({ ttl: -1, keys: [] });
    });

    it('expire unless they are renewed', async () => {
      const { store, pass } = use();
      const prefix = ownPrefix();
      const [kept, dropped] = [await store.leaseGrant({ ttl: 3 }), await store.leaseGrant({ ttl: 3 })];
      await put(store, `${prefix}kept`, 'v', kept.id);
      await put(store, `${prefix}dropped`, 'v', dropped.id);
      // Renewed ten times as often as it has to be: a busy machine may be late.
      for (let passed = 0; passed < 9000 && (await get(store, `${prefix}dropped`)) !== undefined; passed += 300) {
        await pass(300);
        expect(await store.leaseKeepAlive(kept.id)).toEqual({ ttl: 3 });
      }
      expect(await get(store, `${prefix}kept`)).toBeDefined();
      // The commit of the revocation takes real time.
      await expect.poll(() => get(store, `${prefix}dropped`)).toBeUndefined();
      expect(await store.leaseTimeToLive(dropped.id)).toMatchObject({ ttl: -1 });
      await store.leaseRevoke(kept.id);
    });
  });
}
