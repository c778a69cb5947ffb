import { describe, expect, it } from 'vitest';
import { fromPieces, piecesLength, stringifySteps, toPieces } from './json-slices.ts';
import { runSteps } from './steps.ts';

const many = (count: number, make: (i: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, make(i)]));

const values: Record<string, object> = {
  'a small record': { a: 1, b: [1, 'x', null, true], c: {} },
  'a long list': Array.from({ length: 5000 }, (_, i) => ({ name: `n${i}`, '"': [i] })),
  'a long list of nothing': Array.from({ length: 5000 }, () => ({})),
  'a long record': many(5000, (i) => `v${i}`),
  'a large item between small ones': [1, 2, many(3000, (i) => [i]), 3, [], many(1500, () => null)],
  'a large member between small ones': { a: 1, b: many(3000, (i) => ({ i })), c: 2, d: Array(4000).fill('x') },
  'keys that are integers': many(2000, (i) => i),
  'absent members': { a: undefined, ...many(2000, (i) => (i % 2 ? undefined : i)) },
  'a key of the prototype': JSON.parse(
    `{"__proto__":{"a":1},"constructor":2,"b":${JSON.stringify(many(2000, () => 1))}}`,
  ) as object,
  'no members': {},
  'no items': [],
};

describe.each(Object.entries(values))('%s', (_, value) => {
  it('has the text of JSON.stringify', () => {
    expect(runSteps(stringifySteps(value))).toBe(JSON.stringify(value));
  });

  it('is put together from its pieces', () => {
    const pieces = structuredClone(toPieces(value));
    expect(JSON.stringify(runSteps(fromPieces(pieces)))).toBe(JSON.stringify(value));
  });
});

it('yields between the parts of a large value', () => {
  let steps = 0;
  for (const _ of stringifySteps(values['a long list']!)) steps++;
  for (const _ of fromPieces(toPieces(values['a long list']!))) steps++;
  expect(steps).toBeGreaterThan(20);
});

describe('bigints', () => {
  const big = 9_007_199_254_740_993n;
  const value = {
    one: big,
    many: many(2000, (i) => (i % 3 ? i : big)),
    list: Array(3000).fill(big),
    small: [1, [big]],
  };

  it('are integers in the text', () => {
    const text = JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? 'big' : v));
    expect(runSteps(stringifySteps(value))).toBe(text.replaceAll('"big"', String(big)));
  });

  it('are kept in pieces', () => {
    expect(runSteps(fromPieces(structuredClone(toPieces(value))))).toEqual(value);
  });
});

it.each(Object.entries(values))('the length of the pieces is about that of the text: %s', (_, value) => {
  const length = piecesLength(toPieces(value));
  const expected = (JSON.stringify(value) ?? '').length;
  expect(Math.abs(length - expected)).toBeLessThan(expected / 50 + 50);
});
