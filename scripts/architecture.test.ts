import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const document = fs.readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
const rows = [...document.matchAll(/^\| (.+?) \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, question = '', file = '', name = '']) => ({
    question,
    file,
    name,
  }),
);

describe('ARCHITECTURE.md', () => {
  it.each(rows)('$question → $file, $name', ({ file, name }) => {
    expect(fs.existsSync(path.join(root, file)), `${file} exists`).toBe(true);
    const text = fs.readFileSync(path.join(root, file), 'utf8');
    const declaration = new RegExp(
      `\\b(?:function|class|interface|type|const|let)\\s+${name}\\b|^\\s+(?:async )?#?${name}\\(`,
      'm',
    );
    expect(declaration.test(text), `${file} declares ${name}`).toBe(true);
  });

  it('has only rows that the test above understands', () => {
    const tableRows = document
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\|(?:---|\s*question)/.test(line));
    expect(rows).toHaveLength(tableRows.length);
    expect(rows.length).toBeGreaterThan(20);
  });

  it('has an answer for every folder of src/', () => {
    const folders = fs
      .readdirSync(path.join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory());
    const started = folders.filter((entry) => fs.existsSync(path.join(root, 'src', entry.name, 'index.ts')));
    for (const { name } of started) expect(document, `src/${name}`).toContain(`src/${name}/`);
  });

  it('stays short enough to read', () => {
    expect(document.split('\n').length).toBeLessThanOrEqual(250);
  });
});
