import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFiles, checkRegexp, slowText } from './check-regexps.mjs';
import { collectRegexps } from './collect-regexps.mjs';

describe('expressions that are not linear', () => {
  it.each([
    ['nested repetitions', /^(?:a+)+$/],
    ['alternatives that overlap', /^(?:a|a)*$/],
    ['repetitions next to each other', /^[ \t]*([\t\x20-\x7e]*?)[ \t]*$/],
    ['a number in two ways', /^(?:\d+\.?\d*s)+$/],
    ['a repetition that may begin anywhere', /\s+$/],
    ['a way that may begin anywhere', /-----BEGIN [^\n]*-----[\s\S]*?-----END/],
    ['two texts with something between them', /^(.+?)\['(.*)'\]$/s],
    ['an escape in two ways', /\[(?:[^\]\\]|\\u\{[0-9a-f]+\}|\\[^])*\]/uy],
    ['an escaped quote that may begin anywhere', /"(?:[^"\\]|\\.)*"/],
    ['a boundary inside what is repeated', /\beyJ[\w-]{5,}\.[\w-]{5,}/],
  ])('%s', (_name, { source, flags }) => {
    expect(checkRegexp(source, flags)).toMatch(/not linear|exponential/);
  });

  it('are found by running them, where their form does not show it', () => {
    expect(slowText('^(.+?)x(.*)y$', 's')).toMatch(/not linear: \d+ ms for 100? KB/);
  });
});

it.each([
  ['a name', /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/],
  ['a text that is trimmed', /^[ \t]+|(?<![ \t])[ \t]+$/g],
  ['a Go duration', /^(?:\d+(?:\.\d*)?(?:ns|us|ms|s|m|h))+$/],
  ['a quoted text from here on', /"(?:[^"\\]|\\.)*"/y],
])('%s is linear', (_name, { source, flags }) => {
  expect(checkRegexp(source, flags)).toBeUndefined();
});

describe('collecting', () => {
  const patternsIn = (text: string): string[] =>
    collectRegexps('/nowhere/a.ts', text).found.map(({ pattern, flags }) => `/${pattern}/${flags}`);

  it.each([
    ['literals', 'const a = [/x+/g, cond ? /y/ : /z/u];', ['/x+/g', '/y/', '/z/u']],
    ['a text', "new RegExp('^a' + '$', 'm')", ['/^a$/m']],
    [
      'a template of constants',
      "const A = '[a-z]'; const B = `${A}+`; export const C = new RegExp(`^${B}$`);",
      ['/^[a-z]+$/'],
    ],
    ['raw text', 'const A = String.raw`\\d`; RegExp(`${A}+`);', ['/\\d+/']],
    ['the source of another', "const A = /x/; new RegExp(A.source, 'g');", ['/x/', '/x/g']],
    [
      'a function of the module',
      'const whole = (p: string) => new RegExp(`^${p}$`); const a = [whole("x"), whole("y")];',
      ['/^x$/', '/^y$/'],
    ],
    ['no division', 'const a = b / c / d;', []],
  ])('%s', (_name, text, patterns) => {
    expect(patternsIn(text)).toEqual(patterns);
  });

  it.each([
    ['a parameter of an exported function', 'export const f = (p: string) => new RegExp(p);'],
    [
      'a parameter that is not constant everywhere',
      'const f = (p: string) => new RegExp(p); f("x"); f(process.argv[2]);',
    ],
    ['a property', 'new RegExp(`^${options.name}$`)'],
    ['a variable', "let a = 'x'; new RegExp(a);"],
  ])('%s is unknown', (_name, text) => {
    const { found, unknown } = collectRegexps('/nowhere/a.ts', text);
    expect(found).toEqual([]);
    expect(unknown).toHaveLength(1);
  });

  it('follows imports', () => {
    const file = path.join(import.meta.dirname, '..', 'src', 'machinery', 'openapi', 'x.ts');
    const text = "import { VERSION_INFO as V } from './special-definitions.ts'; new RegExp(`^${V}$`);";
    expect(collectRegexps(file, text).found).toMatchObject([
      { pattern: '^io.k8s.apimachinery.pkg.version.Info$', flags: '' },
    ]);
  });
});

it('reports the position of an expression, and exceptions that are not needed', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'k8ts-regexps-'));
  const file = path.join(directory, 'a.ts');
  writeFileSync(file, 'export const a = 1;\nexport const b = /^(?:a+)+$/;\n');
  const { findings } = checkFiles([file], {
    builtAtRuntime: { 'src/a.ts': { 'new RegExp(x)': 'no reason' } },
    packageFiles: { 'gone/index.js': 'no reason' },
  });
  rmSync(directory, { recursive: true });
  expect(findings).toEqual([
    expect.stringMatching(/a\.ts:2: \/\^\(\?:a\+\)\+\$\/ is exponential/),
    'scripts/check-regexps.mjs: BUILT_AT_RUNTIME lists what is not there: src/a.ts: new RegExp(x)',
    'scripts/check-regexps.mjs: PACKAGE_FILES lists what is not in the program: gone/index.js',
  ]);
});
