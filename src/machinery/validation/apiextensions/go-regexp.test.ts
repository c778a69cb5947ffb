import { describe, expect, it } from 'vitest';
import { compileGoRegexp } from './go-regexp.ts';

describe('compileGoRegexp matches as Go does', () => {
  const rows: [name: string, pattern: string, yes: string[], no: string[]][] = [
    ['anchors', '^a+$', ['a', 'aa'], ['', 'ba', 'a\n']],
    ['unanchored', 'b', ['abc'], ['ac']],
    ['dot leaves out newlines', '^.$', ['x'], ['\n', 'xy']],
    ['dot-all flag', '(?s)^.$', ['\n'], ['ab']],
    ['case folding', '(?i)^ab[c-d]$', ['AbC', 'aBD'], ['abe']],
    ['folding ends with its group', '^(?i:a)b$', ['Ab', 'ab'], ['AB']],
    ['multiline', '(?m)^b$', ['a\nb\nc'], ['ab']],
    ['posix class', '^[[:alpha:]]+$', ['abC'], ['a1']],
    ['perl classes', '^\\d\\s\\w$', ['1 a'], ['1\u00a0a', 'a a']],
    ['negated class inside a class', '^[\\D]$', ['x', 'é'], ['1']],
    ['unicode property', '^\\p{Greek}$', ['λ'], ['l']],
    ['counted repetition', '^a{2,3}$', ['aa', 'aaa'], ['a', 'aaaa']],
    ['a brace that is no repetition', '^a{,2}$', ['a{,2}'], ['a']],
    ['named group', '^(?P<n>x)$', ['x'], ['y']],
    ['quoted text', '^\\Qa.b\\E$', ['a.b'], ['axb']],
    ['start and end of text', '\\Aab\\z', ['ab'], ['xab', 'ab\n']],
    ['hex escapes', '^\\x41\\x{42}$', ['AB'], ['ab']],
    ['word boundary', '\\bfoo\\b', ['a foo b'], ['afoob']],
  ];
  it.each(rows)('%s', (_name, pattern, yes, no) => {
    const compiled = compileGoRegexp(pattern);
    for (const text of yes) expect([text, compiled.test(text)]).toEqual([text, true]);
    for (const text of no) expect([text, compiled.test(text)]).toEqual([text, false]);
  });
});

describe('compileGoRegexp refuses with the messages of Go', () => {
  const rows: [pattern: string, message: string][] = [
    ['(', 'missing closing ): `(`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['\\y', 'invalid escape sequence: `\\y`'],
    ['\\1', 'invalid escape sequence: `\\1`'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
    ['\\pQ', 'invalid character class range: `\\pQ`'],
  ];
  it.each(rows)('%s', (pattern, message) => {
    expect(() => compileGoRegexp(pattern)).toThrow(`error parsing regexp: ${message}`);
  });
});
