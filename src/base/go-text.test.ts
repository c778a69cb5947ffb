import { describe, expect, it } from 'vitest';
import { goJsonText } from './index.ts';

describe('JSON text as Go writes it', () => {
  it.each<[string, unknown, string]>([
    ['characters of HTML', { a: '<b> & "c"' }, '{"a":"\\u003cb\\u003e \\u0026 \\"c\\""}'],
    ['control characters', '\b\f\n\u0001', '"\\b\\f\\n\\u0001"'],
    ['line separators', ['\u2028\u2029'], '["\\u2028\\u2029"]'],
    ['the order of a struct', { spec: 1, apiVersion: 2 }, '{"spec":1,"apiVersion":2}'],
    ['a map with keys that look like numbers', { b: 1, 2: 1, 10: 1, '-': 1 }, '{"-":1,"10":1,"2":1,"b":1}'],
    ['such a map inside a struct', { z: { 9: 1, 10: { y: 1, x: 1 } }, a: 1 }, '{"z":{"10":{"y":1,"x":1},"9":1},"a":1}'],
    ['a text that looks like such a key', { z: '"1":', a: 1 }, '{"z":"\\"1\\":","a":1}'],
  ])('%s', (_name, value, expected) => {
    expect(goJsonText(value)).toBe(expected);
  });

  it('sorts every key on request', () => {
    expect(goJsonText({ b: [{ d: 1, c: null }], a: undefined, 1: 2n }, { sorted: true })).toBe(
      '{"1":2,"b":[{"c":null,"d":1}]}',
    );
  });
});
