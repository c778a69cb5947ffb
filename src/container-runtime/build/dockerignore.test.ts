import { expect, it } from 'vitest';
import { ignoredBy, matchesSegment } from './dockerignore.ts';

it.each([
  ['node_modules', ['node_modules', 'node_modules/a/b'], ['src/node_modules', 'node_modules2']],
  ['**/node_modules', ['node_modules', 'a/b/node_modules/c'], ['a/b']],
  ['*.log', ['a.log'], ['b/a.log', 'a.log2']],
  ['**/*.log', ['a.log', 'b/c/a.log'], ['a.txt']],
  ['docs/**/x', ['docs/x', 'docs/a/b/x'], ['docs/a']],
  ['/a/', ['a', 'a/b'], ['b/a']],
  ['# a\n\n  b  ', ['b'], ['# a', 'a']],
  ['*\n!src\n!package.json', ['a', 'b/c'], ['src/index.ts', 'package.json']],
  ['src\n!src/keep\nsrc/keep/not', ['src/a', 'src/keep/not'], ['src/keep', 'src/keep/b']],
])('%j', (source, ignored, kept) => {
  const isIgnored = ignoredBy(source);
  for (const file of ignored) expect(isIgnored(file), file).toBe(true);
  for (const file of kept) expect(isIgnored(file), file).toBe(false);
});

it('a pattern with many stars takes no longer for a long name', () => {
  expect(matchesSegment(`${'*a'.repeat(50)}b`, 'a'.repeat(20_000))).toBe(false);
  expect(ignoredBy(`${'**/'.repeat(50)}x`)('a/'.repeat(2_000))).toBe(false);
});
