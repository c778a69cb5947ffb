import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../base/deep-freeze.ts';
import { createTestContext, VirtualClock } from '../kernel/index.ts';
import { conflict, notFound } from '../machinery/errors/status.ts';
import { isNotFound } from './errors.ts';
import { Expectations } from './expectations.ts';
import { byControllerUid, byNamespace, Indexer } from './indexer.ts';
import { LruCache } from './lru-cache.ts';
import {
  adoptionPatch,
  claimObjects,
  controllerOf,
  controllerReference,
  isControlledBy,
  releasePatch,
} from './owner-references.ts';
import type { ApiObject } from './resource.ts';
import { keyOf, splitKey } from './resource.ts';
import { retryOnConflict } from './retry-on-conflict.ts';
import { slowStartBatch, SlowStartError } from './slow-start-batch.ts';

const pods = { group: '', resource: 'pods' };

describe('slowStartBatch', () => {
  it.each([
    [0, [] as number[]],
    [1, [1]],
    [7, [1, 2, 4]],
    [10, [1, 2, 4, 3]],
  ])('does %i calls in growing batches', async (count, batches) => {
    const calls: number[] = [];
    const seen: number[] = [];
    let inBatch = 0;
    const done = await slowStartBatch(count, async (index) => {
      calls.push(index);
      inBatch++;
      await Promise.resolve();
      if (inBatch > 0) seen.push(inBatch);
      inBatch = 0;
    });
    expect(done).toBe(count);
    expect(calls).toEqual(Array.from({ length: count }, (_, i) => i));
    expect(seen).toEqual(batches);
  });

  it('stops after the batch that failed and reports the number of successes', async () => {
    let calls = 0;
    const running = slowStartBatch(20, async (index) => {
      calls++;
      if (index === 2) throw new Error('quota');
    });
    await expect(running).rejects.toBeInstanceOf(SlowStartError);
    await expect(running).rejects.toMatchObject({ message: 'quota', succeeded: 2, failed: 1, skipped: 17 });
    expect(calls).toBe(3);
  });
});

describe('retryOnConflict', () => {
  it('retries conflicts only, and a limited number of times', async () => {
    const { clock, random } = createTestContext();
    let calls = 0;
    const failing = (error: Error, until: number) => async () => {
      if (++calls <= until) throw error;
      return calls;
    };
    expect(await clock.drive(retryOnConflict({ clock, random }, failing(conflict(pods, 'a', 'changed'), 3)))).toBe(4);
    calls = 0;
    await expect(
      clock.drive(retryOnConflict({ clock, random }, failing(conflict(pods, 'a', 'changed'), 99))),
    ).rejects.toThrow('changed');
    expect(calls).toBe(5);
    calls = 0;
    await expect(retryOnConflict({ clock, random }, failing(notFound(pods, 'a'), 99))).rejects.toThrow('not found');
    expect(calls).toBe(1);
  });
});

describe('Expectations', () => {
  it('makes a controller wait until it has seen its own writes', async () => {
    const clock = new VirtualClock();
    const expectations = new Expectations(clock);
    expect(expectations.satisfied('rs')).toBe(true);
    expectations.expectCreations('rs', 2);
    expectations.expectDeletions('rs', ['uid-1']);
    expectations.creationObserved('rs');
    expectations.creationsAbandoned('rs');
    expect(expectations.satisfied('rs')).toBe(false);
    expectations.deletionObserved('rs', 'uid-2');
    expect(expectations.satisfied('rs')).toBe(false);
    expectations.deletionObserved('rs', 'uid-1');
    expectations.deletionObserved('rs', 'uid-1');
    expectations.creationObserved('rs');
    expect(expectations.satisfied('rs')).toBe(true);
    expectations.expectCreations('rs', 1);
    await clock.advance(5 * 60_000 + 1);
    expect(expectations.satisfied('rs')).toBe(true);
    expectations.expectCreations('rs', 1);
    expect(expectations.satisfied('rs')).toBe(false);
    expectations.forget('rs');
    expect(expectations.satisfied('rs')).toBe(true);
  });
});

describe('owner references', () => {
  const owner: ApiObject = { metadata: { name: 'web', namespace: 'default', uid: 'u1' } };
  const reference = controllerReference(owner, { apiVersion: 'apps/v1', kind: 'ReplicaSet' });
  const pod = (name: string, more: Partial<ApiObject['metadata']> = {}): ApiObject => ({
    metadata: { name, namespace: 'default', labels: { app: 'web' }, ...more },
  });

  it('returns the controlling owner', () => {
    expect(reference).toEqual({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'web',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    });
    const owned = pod('a', { ownerReferences: [{ ...reference, controller: false, uid: 'u0' }, reference] });
    expect(controllerOf(owned)?.uid).toBe('u1');
    expect(isControlledBy(owned, owner)).toBe(true);
    expect(isControlledBy(pod('b'), owner)).toBe(false);
    expect(() => controllerReference({ metadata: { name: 'x' } }, { apiVersion: 'v1', kind: 'Pod' })).toThrow('uid');
  });

  it.each<[string, ApiObject, Partial<ApiObject['metadata']>, string[]]>([
    ['keeps what it manages and matches', pod('a', { ownerReferences: [reference] }), {}, ['claimed']],
    ['releases what no longer matches', pod('a', { ownerReferences: [reference], labels: {} }), {}, ['release']],
    ['adopts a matching orphan', pod('a'), {}, ['adopt', 'claimed']],
    ['leaves an orphan that does not match', pod('a', { labels: {} }), {}, []],
    ['leaves what others manage', pod('a', { ownerReferences: [{ ...reference, uid: 'other' }] }), {}, []],
    ['does not adopt what is being deleted', pod('a', { deletionTimestamp: 'now' }), {}, []],
    ['does not adopt across namespaces', pod('a', { namespace: 'other' }), {}, []],
    [
      'neither adopts nor releases while it is being deleted',
      pod('a', { ownerReferences: [reference], labels: {} }),
      { deletionTimestamp: 'now' },
      [],
    ],
    ['survives an orphan that is gone', pod('gone'), {}, ['adopt']],
  ])('%s', async (_name, candidate, ownerMetadata, expected) => {
    const did: string[] = [];
    const claimed = await claimObjects({
      owner: { metadata: { ...owner.metadata, ...ownerMetadata } },
      candidates: [candidate],
      matches: (object) => object.metadata.labels?.['app'] === 'web',
      adopt: async (object) => {
        did.push('adopt');
        if (object.metadata.name === 'gone') throw notFound(pods, 'gone');
      },
      release: async () => void did.push('release'),
      canAdopt: () => Promise.resolve(true),
      isGone: isNotFound,
    });
    expect([...did, ...claimed.map(() => 'claimed')]).toEqual(expected);
  });

  it('checks once whether it may adopt', async () => {
    let asked = 0;
    const canAdopt = async (): Promise<boolean> => (asked++, false);
    const nothing = async (): Promise<void> => {};
    const options = {
      owner,
      candidates: [pod('a'), pod('b')],
      matches: () => true,
      adopt: nothing,
      release: nothing,
      canAdopt,
      isGone: isNotFound,
    };
    expect(await claimObjects(options)).toEqual([]);
    expect(asked).toBe(1);
  });

  it('patches only the object that was meant', () => {
    expect(adoptionPatch(pod('a', { uid: 'p1' }), reference)).toEqual({
      metadata: { uid: 'p1', ownerReferences: [reference] },
    });
    expect(releasePatch(pod('a', { uid: 'p1' }), 'u1')).toEqual({
      metadata: { uid: 'p1', ownerReferences: [{ $patch: 'delete', uid: 'u1' }] },
    });
  });
});

describe('Indexer', () => {
  it('finds objects by index, as they change', () => {
    const indexer = new Indexer<ApiObject>({ namespace: byNamespace });
    indexer.set({ metadata: { namespace: 'x', name: 'a' } });
    indexer.set({
      metadata: {
        namespace: 'x',
        name: 'b',
        ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'o', uid: 'u', controller: true }],
      },
    });
    indexer.addIndex('controller', byControllerUid);
    expect(indexer.byIndex('namespace', 'x')).toHaveLength(2);
    expect(indexer.keysByIndex('controller', 'u')).toEqual(['x/b']);
    indexer.set({ metadata: { namespace: 'x', name: 'b' } });
    expect(indexer.byIndex('controller', 'u')).toEqual([]);
    indexer.delete('x/a');
    expect(indexer.delete('x/a')).toBeUndefined();
    expect(indexer.keysByIndex('namespace', 'x')).toEqual(['x/b']);
    expect(() => indexer.byIndex('nope', '')).toThrow('there is no index nope; there are: namespace, controller');
  });
});

describe('small parts', () => {
  it('freezes deeply', () => {
    const value = deepFreeze({ a: [{ b: 1 }] });
    expect(() => ((value.a[0] as { b: number }).b = 2)).toThrow(TypeError);
  });

  it.each(['default/web', 'node-1'])('splits and joins the key %s', (key) => {
    expect(keyOf({ metadata: splitKey(key) })).toBe(key);
  });

  it('evicts the least recently used entries', () => {
    const cache = new LruCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.get('a');
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([1, undefined, 3, 2]);
  });
});
