import { expect, test } from 'vitest';
import { isUserNamespace } from './user-namespace.ts';

test.each([
  { name: 'the first user namespace', map: '         0          0 4294967295\n', expected: false },
  { name: "a user's, with subordinate ids", map: '0 1000 1\n1 100000 65536\n', expected: true },
  { name: 'one that keeps its ids, but not all', map: '0 0 65536\n', expected: true },
  { name: 'one without a mapping', map: '', expected: true },
])('$name', ({ map, expected }) => {
  expect(isUserNamespace(map)).toBe(expected);
});
