import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringifyJson } from '../../base/encode-json.ts';
import { documentOf, plainValue, readDocument } from './document.ts';
import { parseJson } from './parse-json.ts';

describe('documents', () => {
  it('have the values of JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, spaced) => {
        const text = JSON.stringify(value, null, spaced ? 2 : undefined);
        fc.pre(!/\d{16}/.test(text));
        const expected: unknown = JSON.parse(text);
        expect(plainValue(readDocument(text))).toEqual({ value: expected, duplicates: [] });
        expect(plainValue(documentOf(expected)).value).toEqual(expected);
        expect(parseJson(text).value).toEqual(expected);
        expect(JSON.parse(stringifyJson(parseJson(text).value))).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['{"a":1,"a":2}', { a: 2 }, ['a']],
    ['{"a":[{"b":1},{"c":1,"c":2}],"a":3}', { a: 3 }, ['a[1].c', 'a']],
    ['{"__proto__":1,"__proto__":2}', JSON.parse('{"__proto__":2}'), ['__proto__']],
  ])('%s: the last of several counts', (text, value, duplicates) => {
    expect(parseJson(text)).toEqual({ value, duplicates });
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 9223372036854775808],
    ['1.0', 1],
    ['1e2', 100],
  ])('the number %s', (text, value) => {
    expect(parseJson(text).value).toBe(value);
    expect(parseJson(`[${text}]`).value).toEqual([value]);
  });

  it('takes linear time', () => {
    const long = 'x\\"'.repeat(1_000_000);
    expect(parseJson(`{"a":"${long}","a":1.5}`)).toEqual({ value: { a: 1.5 }, duplicates: ['a'] });
  });
});
