import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeForStorage } from './encode-for-storage.ts';
import { Entry } from './entry.ts';
import { ResourceCache, type CacheEvent } from './resource-cache.ts';
import { sharedFrame } from './shared-frames.ts';

const PREFIX = '/registry/configmaps/';

const newCache = () => new ResourceCache({ prefix: PREFIX, namespaced: true, fieldsOf: () => ({}) }, 0);

function entryOf(name: string, revision: number, data = ''): Entry {
  const value = encodeForStorage({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { namespace: 'ns', name },
    data: { data },
  });
  return Entry.fromValue({ key: `${PREFIX}ns/${name}`, namespace: 'ns', name }, value, revision);
}

describe('a list from the cache', () => {
  it('has all objects in the order of their names, after any additions, changes and deletions', () => {
    const step = fc.record({
      does: fc.constantFrom('put', 'put', 'delete', 'list'),
      name: fc.integer({ min: 0, max: 20 }).map((i) => `n${i}`),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const cache = newCache();
        const expected = new Map<string, number>();
        steps.forEach(({ does, name }, revision) => {
          if (does === 'put') {
            cache.put(entryOf(name, revision));
            expected.set(name, revision);
          } else if (does === 'delete') {
            cache.delete(`${PREFIX}ns/${name}`, revision);
            expected.delete(name);
          } else {
            const listed = cache.list('ns').map((entry) => [entry.name, entry.revision]);
            expect(listed).toEqual([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
          }
        });
      }),
    );
  });
});

describe('the window of recent events', () => {
  const MEBIBYTE = 1024 * 1024;
  const bytesIn = (cache: ResourceCache): number =>
    cache.eventsSince(cache.windowStart, Infinity)!.reduce((sum, { bytes }) => sum + bytes, 0);

  it('is bounded in bytes, so that large objects leave it sooner, and has every event since its start', () => {
    const cache = newCache();
    const data = 'x'.repeat(MEBIBYTE);
    for (let revision = 1; revision <= 60; revision++) {
      cache.put(entryOf('large', revision, data));
      expect(bytesIn(cache)).toBeLessThanOrEqual(17 * MEBIBYTE);
    }
    expect(cache.windowStart).toBeGreaterThan(40);
    const kept = cache.eventsSince(cache.windowStart, Infinity)!;
    expect(kept.map(({ revision }) => revision)).toEqual(kept.map((_, index) => cache.windowStart + 1 + index));
    expect(kept.at(-1)!.revision).toBe(60);
    expect(cache.eventsSince(cache.windowStart - 1, Infinity)).toBeUndefined();
  });

  it('keeps the newest event, however large', () => {
    const cache = newCache();
    cache.put(entryOf('small', 1));
    cache.put(entryOf('huge', 2, 'x'.repeat(20 * MEBIBYTE)));
    expect(cache.eventsSince(1, Infinity)!.map(({ revision }) => revision)).toEqual([2]);
  });

  it('counts the frames that watchers share, and keeps those of the newest events only', () => {
    const cache = newCache();
    const encoded: number[] = [];
    const late: CacheEvent[] = [];
    cache.watch({
      scope: '',
      deliver: (event) => {
        encoded.push(event.revision);
        sharedFrame(event, 'json', () => Buffer.alloc(MEBIBYTE / 8));
        late.push(event);
      },
    });
    for (let revision = 1; revision <= 300; revision++) {
      cache.put(entryOf('small', revision));
      expect(bytesIn(cache)).toBeLessThanOrEqual(17 * MEBIBYTE);
    }
    expect(encoded.length).toBe(300);
    // A watcher that is behind encodes dropped events again, which is not counted for ever.
    for (const event of late) sharedFrame(event, 'other', () => Buffer.alloc(MEBIBYTE / 8));
    for (let revision = 301; revision <= 400; revision++) cache.put(entryOf('small', revision));
    expect(cache.eventsSince(390, Infinity)).toHaveLength(10);
    expect(bytesIn(cache)).toBeLessThanOrEqual(17 * MEBIBYTE);
  });
});
