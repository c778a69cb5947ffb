import fs from 'node:fs';
import { SourceMap } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { keepLinesOnly } from './line-source-map.mjs';

it('keeps the file and the line of every statement, and is much smaller', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-source-map-'));
  try {
    const source = Array.from(
      { length: 50 },
      (_, line) => `export const add${line} = (a, b) => a + b * (a - b) + ${line};`,
    );
    fs.writeFileSync(path.join(directory, 'a.js'), source.join('\n'));
    fs.writeFileSync(path.join(directory, 'b.js'), `export * from './a.js';\nexport const last = () => 1;\n`);
    const outfile = path.join(directory, 'out.js');
    await build({
      entryPoints: [path.join(directory, 'b.js')],
      bundle: true,
      minifyWhitespace: true,
      sourcemap: true,
      sourcesContent: false,
      format: 'esm',
      outfile,
    });
    const code = fs.readFileSync(outfile, 'utf8').split('\n');
    const file = `${outfile}.map`;
    const before = fs.readFileSync(file, 'utf8');
    await keepLinesOnly(file);
    const after = fs.readFileSync(file, 'utf8');
    expect(after.length).toBeLessThan(before.length / 2);
    const [fine, coarse] = [before, after].map((text) => new SourceMap(JSON.parse(text)));
    const place = (map: SourceMap | undefined, line: number, column: number) => {
      const entry = map!.findEntry(line, column);
      return 'originalLine' in entry && `${path.basename(entry.originalSource)}:${entry.originalLine}`;
    };
    const lines = code.flatMap((text, line) => Array.from(text, (_, column) => [line, column] as const));
    expect(lines.map(([line, column]) => place(coarse, line, column))).toEqual(
      lines.map(([line, column]) => place(fine, line, column)),
    );
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});
