import { expect, test } from 'vitest';
import { mappingArguments, subordinateRange } from './subordinate-ids.ts';

const user = { name: 'ada', id: 1000 };

test.each([
  { name: 'by name', file: 'root:100000:65536\nada:165536:65536\n', expected: { first: 165_536, count: 65_536 } },
  { name: 'by id', file: '1000:200000:65536\n', expected: { first: 200_000, count: 65_536 } },
  {
    name: 'the first that is large enough',
    file: 'ada:1:10\nada:300000:70000',
    expected: { first: 300_000, count: 70_000 },
  },
  { name: 'none of others', file: 'adam:100000:65536\n10000:1:65536\n', expected: undefined },
  { name: 'none that is too small', file: 'ada:100000:1000\n', expected: undefined },
  { name: 'none that is not a number', file: 'ada:first:65536\nada:1:many\nada\n', expected: undefined },
  { name: 'none of an empty file', file: '', expected: undefined },
])('$name', ({ file, expected }) => {
  expect(subordinateRange(file, user)).toEqual(expected);
});

test('the user is root, and the subordinate ids are all others', () => {
  expect(mappingArguments(1000, { first: 165_536, count: 65_536 })).toEqual(['0', '1000', '1', '1', '165536', '65536']);
});
