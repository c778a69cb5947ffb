import { expect, it } from 'vitest';
import type { ReplicaSet } from '../../api/generated/apps-v1.ts';
import { byRevision, lastRevision, maxRevision, newSetAnnotations, REVISION, revisionOf } from './annotations.ts';

const set = (revision: string): ReplicaSet => ({ metadata: { annotations: { [REVISION]: revision } } });

it.each([
  ['3', 3n],
  ['3546343826724305832', 3546343826724305832n],
  ['9223372036854775808', 0n],
  ['1.5', 0n],
  ['x', 0n],
])('the revision %s', (text, expected) => {
  expect(revisionOf(set(text))).toBe(expected);
});

it('counts revisions as 64-bit numbers', () => {
  const sets = ['3546343826724305833', '2', '3546343826724305832'].map(set);
  expect([maxRevision(sets), lastRevision(sets)]).toEqual([3546343826724305833n, 3546343826724305832n]);
  expect(sets.toSorted(byRevision).map(revisionOf)).toEqual([2n, 3546343826724305832n, 3546343826724305833n]);
  const annotations = newSetAnnotations({ metadata: {} }, undefined, maxRevision(sets) + 1n);
  expect(annotations[REVISION]).toBe('3546343826724305834');
});
