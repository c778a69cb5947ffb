import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cloneJson } from './clone-json.ts';

it('gives an equal value that shares nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = cloneJson(value);
      expect(copy).toEqual(value);
      if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
    }),
  );
});

it('gives a copy of what is frozen that can be changed', () => {
  const copy = cloneJson(Object.freeze({ list: Object.freeze([1]) as number[] }));
  copy.list.push(2);
  expect(copy).toEqual({ list: [1, 2] });
});

it('keeps a field that is called __proto__', () => {
  const copy = cloneJson(JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>);
  expect(Object.keys(copy)).toEqual(['__proto__']);
  expect((copy as { polluted?: boolean }).polluted).toBeUndefined();
});
