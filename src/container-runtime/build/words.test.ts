import { expect, it } from 'vitest';
import { assignments, expandText, splitWords } from './words.ts';

const variables = new Map([
  ['A', 'one'],
  ['EMPTY', ''],
]);

it.each([
  ['a  b', ['a', 'b']],
  ['"a b" c', ['a b', 'c']],
  [String.raw`a\ b`, ['a b']],
  ['$A ${A}x $NONE.', ['one', 'onex', '.']],
  ['\'$A\' "$A"', ['$A', 'one']],
  [String.raw`\$A`, ['$A']],
  ['${EMPTY:-x} ${A:-x} ${A:+y} ${NONE:+y}z', ['x', 'one', 'y', 'z']],
  ['""', ['']],
  ['$', ['$']],
  ['${A', ['${A']],
])('%j has the words %j', (text, words) => {
  expect(splitWords(text, variables)).toEqual(words);
});

it('a text keeps its spaces', () => {
  expect(expandText('/a b/$A', variables)).toBe('/a b/one');
});

it.each([
  [
    'A=b C="d e"',
    [
      ['A', 'b'],
      ['C', 'd e'],
    ],
  ],
  ['A b c', [['A', 'b c']]],
  ['PATH=/x:$A', [['PATH', '/x:one']]],
])('%j sets %j', (text, expected) => {
  expect(assignments(text, variables)).toEqual(expected);
});
