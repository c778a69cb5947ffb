import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/index.ts';
import { encodeYaml } from './encode-yaml.ts';
import { parseYaml } from './parse-yaml.ts';

const yaml = (value: unknown): string => encodeYaml(value).toString('utf8');

describe('texts', () => {
  it.each([
    ['hello', 'hello'],
    ['', '""'],
    ['two words', 'two words'],
    ['yes', '"yes"'],
    ['Off', '"Off"'],
    ['y', '"y"'],
    ['null', '"null"'],
    ['~', '"~"'],
    ['.nan', '".nan"'],
    ['.Nan', '.Nan'],
    ['12', '"12"'],
    ['1_000', '"1_000"'],
    ['0755', '"0755"'],
    ['08', '"08"'],
    ['0x1F', '"0x1F"'],
    ['0x1F1F1F1F1F1F1F1F1F', '0x1F1F1F1F1F1F1F1F1F'],
    ['1e400', '1e400'],
    ['1.5', '"1.5"'],
    ['1.5.0', '1.5.0'],
    ['500m', '500m'],
    ['12:30:45', '"12:30:45"'],
    ['10.0.0.1', '10.0.0.1'],
    ['fe80::1', 'fe80::1'],
    ['2024-01-01T00:00:00Z', '"2024-01-01T00:00:00Z"'],
    ['2024-02-30', '2024-02-30'],
    ['2024-02-29', '"2024-02-29"'],
    ['a: b', "'a: b'"],
    ['a:b', 'a:b'],
    ['a:', "'a:'"],
    ['a #b', "'a #b'"],
    ['a#b', 'a#b'],
    ['-', "'-'"],
    ['-a', '-a'],
    ['--- a', "'--- a'"],
    ['? a', "'? a'"],
    ['?a', '?a'],
    ["it's", "it's"],
    ["'quoted' text", "'''quoted'' text'"],
    ['"quoted"', `'"quoted"'`],
    ['{}', "'{}'"],
    ['*', "'*'"],
    ['@a', "'@a'"],
    [' a', "' a'"],
    ['a ', "'a '"],
    ['a\tb', '"a\\tb"'],
    ['a\u0007\u0085', '"a\\a\\N"'],
    ['smile \u{1F600}', '"smile \\U0001F600"'],
    ['grüße', 'grüße'],
    ['a\nb', '|-\n  a\n  b'],
    ['a\nb\n', '|\n  a\n  b'],
    ['a\n\nb\n\n', '|+\n  a\n\n  b\n'],
    ['\n', '|2+\n'],
    ['  a\nb', '|2-\n    a\n  b'],
    ['a \nb', '"a \\nb"'],
    ['a\n b', '|-\n  a\n   b'],
    ['a\tb\nc', '"a\\tb\\nc"'],
  ])('%j', (text, expected) => {
    expect(yaml({ k: text })).toBe(`k: ${expected}\n`);
  });

  const word = 'words ';
  it('fold at the first space after column 80, in every style', () => {
    const long = word.repeat(20).trimEnd();
    expect(yaml({ k: long })).toBe(`k: ${word.repeat(14).trimEnd()}\n  ${word.repeat(6).trimEnd()}\n`);
    expect(yaml({ k: `${long}: x` })).toBe(`k: '${word.repeat(13).trimEnd()}\n  ${word.repeat(7).trimEnd()}: x'\n`);
    expect(yaml({ k: `\t${long}` })).toBe(`k: "\\t${word.repeat(13).trimEnd()}\n  ${word.repeat(7).trimEnd()}"\n`);
    expect(yaml({ list: [{ k: long }] })).toBe(
      `list:\n- k: ${word.repeat(13).trimEnd()}\n    ${word.repeat(7).trimEnd()}\n`,
    );
    expect(yaml({ [`${word.repeat(17)}key`]: 1 }), 'keys do not').toBe(`${word.repeat(17)}key: 1\n`);
  });
});

describe('structures', () => {
  it.each<[name: string, value: unknown, text: string]>([
    ['nothing in them', { a: {}, b: [], c: null, d: undefined }, 'a: {}\nb: []\nc: null\n'],
    [
      'lists below their key',
      { a: { b: [{ c: 1, d: [2] }, 'x', [3, 4]] } },
      'a:\n  b:\n  - c: 1\n    d:\n    - 2\n  - x\n  - - 3\n    - 4\n',
    ],
    [
      'numbers',
      { a: 1.5, b: 1e7, c: 1234567.5, d: -0.00001, e: 2n ** 63n, f: true },
      'a: 1.5\nb: 10000000\nc: 1.2345675e+06\nd: -1e-05\ne: 9223372036854775808\nf: true\n',
    ],
    [
      'keys by their numbers',
      { a10: 1, a9: 1, B: 1, b: 1, 'a-1': 1, a: 1, '1': 1 },
      '"1": 1\nB: 1\na: 1\na-1: 1\na9: 1\na10: 1\nb: 1\n',
    ],
    ['a text of lines between others', { a: 'x\ny\n', b: 'z' }, 'a: |\n  x\n  y\nb: z\n'],
    ['long keys', { ['k'.repeat(129)]: { a: 1 } }, `? ${'k'.repeat(129)}\n: a: 1\n`],
    ['a list', [1, { a: 2 }], '- 1\n- a: 2\n'],
  ])('%s', (_name, value, text) => {
    expect(yaml(value)).toBe(text);
  });

  it('nested by the thousands are YAML still', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = { a: deep };
    expect(encodeYaml(deep).length).toBeGreaterThan(100_000);
  });
});

describe('every written document is parsed again', () => {
  const PIECES = [
    'a',
    'b c',
    ' ',
    '  ',
    '\n',
    '\n\n',
    '\t',
    ': ',
    ':',
    '#',
    ' #',
    '-',
    '- ',
    '?',
    "'",
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    '&',
    '*',
    '!',
    '|',
    '>',
    '%',
    '@',
    '`',
    '~',
    '0',
    '1',
    '9',
    '.',
    'e',
    '+',
    '_',
    'yes',
    'null',
    'ü',
    '\u{1F600}',
    '\u00a0',
    '\u2028',
    '\r',
    '\u0001',
    'a long word of some length',
    '---',
    '...',
    '2024-01-01',
    '<<',
    '=',
  ];
  const random = new SeededRandom('yaml');
  const text = (): string =>
    Array.from({ length: random.integer(14) }, () => PIECES[random.integer(PIECES.length)]!).join('');
  const value = (depth: number): unknown => {
    const choice = random.integer(depth > 3 ? 6 : 9);
    if (choice < 4) return text();
    if (choice === 4) return random.integer(1000) - 500;
    if (choice === 5) return [true, false, null, 0.25][random.integer(4)];
    if (choice === 6) return Array.from({ length: random.integer(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: random.integer(4) }, () => [text(), value(depth + 1)]));
  };

  it('for 3000 values', () => {
    for (let i = 0; i < 3000; i++) {
      const object = { k: value(0) };
      expect(parseYaml(yaml(object)).value, JSON.stringify(object)).toEqual(object);
    }
  });
});

it('falls back to JSON where indents would make the text huge', () => {
  let object: unknown = Array.from({ length: 100_000 }, () => 1);
  for (let i = 0; i < 900; i++) object = { a: object };
  expect(encodeYaml(object).length).toBeLessThan(1_000_000);
});
