import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const lines = (...list: string[]): string => list.join('\n');
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`);

describe('unifiedDiff', () => {
  it.each([
    ['equal texts', lines('a', 'b'), lines('a', 'b'), ''],
    ['one line', 'a', 'b', '@@ -1 +1 @@\n-a\n+b\n'],
    ['a line more', lines('a', 'b'), lines('a', 'x', 'b'), '@@ -1,2 +1,3 @@\n a\n+x\n b\n'],
    ['a line less', lines('a', 'x', 'b'), lines('a', 'b'), '@@ -1,3 +1,2 @@\n a\n-x\n b\n'],
    [
      'three lines around a change',
      lines(...numbered(1, 9), 'old', ...numbered(10, 19)),
      lines(...numbered(1, 9), 'new', ...numbered(10, 19)),
      '@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-old\n+new\n line 10\n line 11\n line 12\n',
    ],
    [
      'changes that are far apart',
      lines('a', ...numbered(1, 9), 'b'),
      lines('x', ...numbered(1, 9), 'y'),
      '@@ -1,4 +1,4 @@\n-a\n+x\n line 1\n line 2\n line 3\n@@ -8,4 +8,4 @@\n line 7\n line 8\n line 9\n-b\n+y\n',
    ],
    [
      'changes that are near each other',
      lines('a', ...numbered(1, 6), 'b'),
      lines('x', ...numbered(1, 6), 'y'),
      `@@ -1,8 +1,8 @@\n-a\n+x\n${numbered(1, 6)
        .map((line) => ` ${line}\n`)
        .join('')}-b\n+y\n`,
    ],
  ])('%s', (_, before, after, diff) => {
    expect(unifiedDiff(before, after)).toBe(diff);
  });

  it('does not anchor on lines that are everywhere', () => {
    const text = Array.from({ length: 250 }, (_, i) => (i % 2 === 0 ? 'null' : `line ${i}`));
    const changed = text.with(101, 'other');
    expect(unifiedDiff(lines(...text), lines(...changed))).toBe(
      '@@ -99,7 +99,7 @@\n null\n line 99\n null\n-line 101\n+other\n null\n line 103\n null\n',
    );
  });
});
