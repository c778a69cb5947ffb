import { expect, it } from 'vitest';
import { deepFreeze, freezeSteps } from './deep-freeze.ts';
import { runSteps } from './steps.ts';

const value = (): Record<string, unknown> => ({
  list: Array.from({ length: 60 }, (_, i) => ({ i, in: [{}] })),
  record: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, {}])),
  scalar: 1,
  none: null,
});

const parts = (root: unknown): object[] =>
  typeof root === 'object' && root !== null ? [root, ...Object.values(root).flatMap(parts)] : [];

it.each([
  ['at once', (root: unknown) => void deepFreeze(root)],
  ['in steps', (root: unknown) => runSteps(freezeSteps(root))],
])('freezes everything %s', (_, freeze) => {
  const root = value();
  freeze(root);
  expect(parts(root).every(Object.isFrozen)).toBe(true);
  freeze('text');
  freeze(null);
});

it('freezes what holds others after them', () => {
  const root = value();
  for (const _ of freezeSteps(root))
    for (const part of parts(root)) if (Object.isFrozen(part)) expect(parts(part).every(Object.isFrozen)).toBe(true);
});
