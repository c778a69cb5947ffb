import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeForStorage } from './encode-for-storage.ts';
import { Entry } from './entry.ts';
import { ResourceCache } from './resource-cache.ts';

const PREFIX = '/registry/configmaps/';

function entryOf(name: string, revision: number): Entry {
  const value = encodeForStorage({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { namespace: 'ns', name } });
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
        const cache = new ResourceCache({ prefix: PREFIX, namespaced: true, fieldsOf: () => ({}) }, 0);
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
