import { describe, expect, it } from 'vitest';
import { stringifyIndented, stringifyJson } from './encode-json.ts';

describe('indented JSON', () => {
  const values: unknown[] = [
    {},
    [],
    null,
    'a',
    1.5,
    { a: {}, b: [], c: [[], {}], d: [1, [2, { e: null }]] },
    { 'a:b,c{"}': '[{\\"x\\":1}],\n\t\u2028', '': ['', '\\', '"', '\\"'] },
    { a: { b: { c: [true, false, -1e21] } } },
  ];
  it.each(values.map((value) => [JSON.stringify(value), value] as const))('%s', (_, value) => {
    expect(stringifyIndented(value)).toBe(JSON.stringify(value, null, 2));
  });

  it('keeps integers that JSON.stringify refuses', () => {
    expect(stringifyIndented({ a: [9007199254740993n] })).toBe('{\n  "a": [\n    9007199254740993\n  ]\n}');
  });

  it('has no indents where they would make the text huge', () => {
    let value: unknown = Array.from({ length: 100_000 }, () => 1);
    for (let i = 0; i < 900; i++) value = [value];
    expect(stringifyIndented(value)).toBe(stringifyJson(value));
  });
});
