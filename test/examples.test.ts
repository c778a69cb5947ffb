/** The examples work with the tools that they are for. */
import { spawnSync } from 'node:child_process';
import { existsSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build } from '../scripts/build.mjs';
import { everything } from './requires.ts';

const root = join(import.meta.dirname, '..');
/** Inside the project, where the examples find the tools; `k8ts` there is this working copy. */
const project = join(root, 'node_modules', '.cache', 'k8ts-test', String(process.pid), 'examples');

beforeAll(async () => {
  rmSync(project, { recursive: true, force: true });
  const library = join(project, 'node_modules', 'k8ts');
  mkdirSync(library, { recursive: true });
  await build({ entryPoints: { index: 'src/index.ts' }, outdir: join(library, 'dist') });
  writeFileSync(join(library, 'package.json'), JSON.stringify({ name: 'k8ts', version: '0.0.0', type: 'module', exports: './dist/index.js' }));
  for (const native of ['lmdb', 'koffi']) symlinkSync(join(root, 'node_modules', native), join(project, 'node_modules', native));
  cpSync(join(root, 'examples'), project, { recursive: true });
  /** Without it the folder would be part of the package k8ts, and import that. */
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'examples', type: 'module' }));
}, 60_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const vitest = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--root', project, '--config', join(project, 'no-config.mjs')];

const examples: readonly [name: string, args: string[], missing?: string][] = [
  ['vitest', [...vitest, 'vitest/']],
  ['operator', [...vitest, 'operator/']],
  ['node-test', ['--test', join(project, 'node-test')]],
  ['jest', ['--experimental-vm-modules', jest, '--rootDir', join(project, 'jest')], existsSync(jest) ? undefined : 'jest is not installed'],
];

for (const [name, args, missing] of examples) {
  it(`examples/${name}${missing ? ` (${missing})` : ''}`, (test) => {
    if (missing) test.skip(missing);
    if (!everything && name !== 'vitest') test.skip('runs with everything');
    writeFileSync(join(project, 'no-config.mjs'), 'export default {}');
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8', timeout: 120_000 });
    expect(status, stdout + stderr).toBe(0);
  }, 130_000);
}
