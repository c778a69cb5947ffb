import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const document = fs.readFileSync(path.join(root, 'SECURITY.md'), 'utf8');
const rows = [...document.matchAll(/^\| (.+?) \| `(test\/[^`]+)` \|$/gm)].map(([, attack = '', file = '']) => ({
  attack,
  file,
}));

describe('the table of attacks in SECURITY.md', () => {
  it.each(rows)('$attack → $file', ({ file }) => {
    expect(fs.existsSync(path.join(root, file)), `${file} exists`).toBe(true);
  });

  it('names every test of an attack, once', () => {
    const tests = fs
      .readdirSync(path.join(root, 'test', 'attacks'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'));
    const named = rows.map(({ file }) => file).filter((file) => file.startsWith('test/attacks/'));
    expect(named.toSorted()).toEqual(tests.map((name) => `test/attacks/${name}`).toSorted());
  });
});
