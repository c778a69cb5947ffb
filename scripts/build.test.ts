import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { build } from './build.mjs';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-build-'));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

describe('build', () => {
  it('bundles CommonJS packages into an ES module that runs without node_modules', async () => {
    const entry = path.join(import.meta.dirname, '..', 'scripts', 'build-sample.ts');
    const outdir = path.join(scratch, 'dist');
    expect(await build({ entryPoints: { sample: entry }, outdir })).toEqual(['sample']);
    const output = execFileSync(process.execPath, [path.join(outdir, 'sample.js')], { cwd: scratch, encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ grpc: 'function', ws: 'function', yaml: { a: 1 } });
  });

  it('builds nothing where there is nothing', async () => {
    expect(await build({ entryPoints: { k8ts: 'src/no-such-file.ts' }, outdir: path.join(scratch, 'none') })).toEqual(
      [],
    );
  });
});
