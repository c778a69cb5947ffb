import { describe, expect, it } from 'vitest';
import { deadExports } from './check-exports.mjs';

const found = (files: Record<string, string>): string[] => deadExports(new Map(Object.entries(files)));

describe('exports without importers', () => {
  it('are found, with their line', () => {
    expect(
      found({
        'src/a/a.ts': 'export const used = 1;\nexport const unused = 2;\nexport interface Unused {}',
        'src/a/b.ts': "import { used } from './a.ts';",
      }),
    ).toEqual(['src/a/a.ts:2 unused', 'src/a/a.ts:3 Unused']);
  });

  it('are found behind an index that re-exports them', () => {
    const files = { 'src/a/a.ts': 'export const x = 1;', 'src/a/index.ts': "export { x } from './a.ts';" };
    expect(found(files)).toEqual(['src/a/a.ts:1 x', 'src/a/index.ts:1 x']);
    expect(found({ ...files, 'src/b/b.ts': "import { x } from '../a/index.ts';" })).toEqual([]);
  });

  it.each([
    ['a namespace', "import * as a from '../a/index.ts';"],
    ['a dynamic import', "const a = await import('../a/index.ts');"],
    ['a test', "import { x } from '../a/index.ts';"],
  ])('are not exports that %s uses', (_name, text) => {
    const files = { 'src/a/a.ts': 'export const x = 1;', 'src/a/index.ts': "export * from './a.ts';" };
    expect(found({ ...files, 'src/b/b.test.ts': text })).toEqual([]);
  });

  it('are not exports of the library', () => {
    expect(found({ 'src/a/a.ts': 'export const x = 1;', 'src/index.ts': "export { x } from './a/a.ts';" })).toEqual([]);
  });
});
