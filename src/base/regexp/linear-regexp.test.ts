import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinearRegexp, RegexpTooLargeError } from './index.ts';

const START = '(?:(?<![\\s\\S]))';
const END = '(?:(?![\\s\\S]))';

describe('test', () => {
  it.each([
    ['a literal', 'abc', 'xxabcxx', true],
    ['a literal that is not there', 'abc', 'ab', false],
    ['alternatives', `${START}(?:a|bc)${END}`, 'bc', true],
    ['a class', `${START}[a-z]+${END}`, 'abcX', false],
    ['nothing at all', `${START}${END}`, '', true],
    ['counted repetition', `${START}a{2,3}${END}`, 'aaaa', false],
    ['a word boundary', '(?:\\b)cat(?:\\b)', 'a cat.', true],
    ['no word boundary', '(?:\\b)cat(?:\\b)', 'concat', false],
    ['characters beyond the basic plane', `${START}[\\u{1f600}-\\u{1f64f}]${END}`, '😀', true],
    ['lines', '(?:(?<![^\\n]))b', 'a\nb', true],
    ['repeated nothing', `${START}(?:a*)*${END}`, 'aaa', true],
  ])('%s', (_name, pattern, text, expected) => {
    expect(new LinearRegexp(pattern).test(text)).toBe(expected);
  });

  it('agrees with backtracking', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '(?:ab|c)', '(?:a|b)*');
    const pattern = fc
      .array(fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{1,2}')), { maxLength: 5 })
      .map((parts) => parts.map(([part, repeat]) => `(?:${part})${repeat}`).join(''));
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 }), (source, text) => {
        const whole = `${START}${source}${END}`;
        expect(new LinearRegexp(whole).test(text)).toBe(new RegExp(whole, 'u').test(text));
        const found = new RegExp(source, 'u').exec(text);
        expect(new LinearRegexp(source).find(text)).toEqual(
          found ? [found.index, found.index + found[0].length] : undefined,
        );
      }),
    );
  });

  it('is not slowed down by patterns that backtracking matchers take long for', () => {
    const text = `${'a'.repeat(20_000)}!`;
    for (const pattern of [`${START}(?:a+)+${END}`, `${START}(?:a|a)*${END}`, `${START}a*a*a*a*b`])
      expect(new LinearRegexp(pattern).test(text)).toBe(false);
  });

  it('refuses programs without bound', () => {
    expect(() => new LinearRegexp('(?:(?:a{1000}){1000}){1000}')).toThrow(RegexpTooLargeError);
  });
});
