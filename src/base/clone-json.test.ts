import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cloneJson } from './clone-json.ts';

it('returns an equal value that shares nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = cloneJson(value);
      expect(copy).toEqual(value);
      if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
    }),
  );
});

it('returns a mutable copy of a frozen value', () => {
  const copy = cloneJson(Object.freeze({ list: Object.freeze([1]) as number[] }));
  copy.list.push(2);
  expect(copy).toEqual({ list: [1, 2] });
});

it('keeps a field named __proto__', () => {
  const copy = cloneJson(JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>);
  expect(Object.keys(copy)).toEqual(['__proto__']);
  expect((copy as { polluted?: boolean }).polluted).toBeUndefined();
});
