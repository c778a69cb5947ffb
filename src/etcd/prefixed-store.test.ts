import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kernel/index.ts';
import { storeContract } from './contract.ts';
import { put } from './contract/fixture.ts';
import { createMemoryStore } from './memory.ts';
import { prefixedStore } from './prefixed-store.ts';

storeContract('with a prefix', {
  async open() {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    return {
      store: prefixedStore(store, { from: '', to: '/elsewhere/' }),
      pass: (ms) => clock.advance(ms),
      close: () => store.close(),
    };
  },
});

describe('a store with a prefix', () => {
  const open = async () => {
    const behind = createMemoryStore({ clock: new VirtualClock() });
    return { behind, store: prefixedStore(behind, { from: '/registry/', to: '/k8s/' }) };
  };

  it('is the store itself when there is nothing to change', () => {
    const store = createMemoryStore({ clock: new VirtualClock() });
    expect(prefixedStore(store, { from: '/registry/', to: '/registry/' })).toBe(store);
  });

  it('keeps other keys, and does not see the neighbours of its own', async () => {
    const { behind, store } = await open();
    for (const key of ['/registry/pods/a', 'compact_rev_key']) await put(store, key);
    for (const key of ['/k8s0', '/k8/x', '/k8s']) await put(behind, key);
    const keys = async (from: typeof store, key: string, rangeEnd: string): Promise<string[]> =>
      (await from.range({ key, rangeEnd })).kvs.map((pair) => pair.key);
    expect(await keys(behind, '\0', '\0')).toEqual(['/k8/x', '/k8s', '/k8s/pods/a', '/k8s0', 'compact_rev_key']);
    for (const end of ['/registry0', '\0']) expect(await keys(store, '/registry/', end)).toEqual(['/registry/pods/a']);
    expect(await keys(store, '/registry/pods/', '/registry/pods0')).toEqual(['/registry/pods/a']);
    expect(await keys(store, 'compact_rev_key', 'compact_rev_key0')).toEqual(['compact_rev_key']);
  });
});
