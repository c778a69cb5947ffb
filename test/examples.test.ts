/** The examples work with the tools that they are for. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyPackage } from './k8ts-process.ts';
import { everything } from './requires.ts';

const root = join(import.meta.dirname, '..');
/** `k8ts` there is this working copy. Not below a node_modules: jest finds no tests there. */
const project = mkdtempSync(join(tmpdir(), 'k8ts-examples-'));

beforeAll(async () => {
  const library = join(project, 'node_modules', 'k8ts');
  mkdirSync(library, { recursive: true });
  await copyPackage(join(library, 'dist'));
  writeFileSync(
    join(library, 'package.json'),
    JSON.stringify({ name: 'k8ts', version: '0.0.0', type: 'module', exports: './dist/index.js' }),
  );
  mkdirSync(join(project, 'node_modules', '@kubernetes'));
  for (const name of ['lmdb', 'koffi', 'vitest', '@kubernetes/client-node'])
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  cpSync(join(root, 'examples'), project, { recursive: true });
  /** Without it the folder would be part of the package k8ts, and import that. */
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'examples', type: 'module' }));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Not a dependency of this project: fetched for the one test that needs it. */
const jest = join(project, 'node_modules', 'jest', 'bin', 'jest.js');

function installJest(): string | undefined {
  const { status, stderr } = spawnSync(
    'npm',
    [
      'install',
      '--no-audit',
      '--no-fund',
      '--no-save',
      '--no-package-lock',
      '--prefix',
      join(project, 'jest'),
      'jest@30',
    ],
    { encoding: 'utf8', timeout: 100_000 },
  );
  if (status !== 0) return `jest cannot be installed: ${stderr.trim().split('\n').at(-1) ?? ''}`;
  cpSync(join(project, 'jest', 'node_modules'), join(project, 'node_modules'), { recursive: true });
  rmSync(join(project, 'jest', 'node_modules'), { recursive: true });
  return undefined;
}

const vitest = [
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--root',
  project,
  '--config',
  join(project, 'no-config.mjs'),
];

const examples: readonly [name: string, args: string[], install?: () => string | undefined][] = [
  ['vitest', [...vitest, 'vitest/']],
  ['operator', [...vitest, 'operator/']],
  ['node-test', ['--test', join(project, 'node-test')]],
  ['jest', ['--experimental-vm-modules', jest, '--rootDir', join(project, 'jest')], installJest],
];

for (const [name, args, install] of examples) {
  it(`examples/${name}`, (test) => {
    if (!everything && name !== 'vitest') test.skip('runs with everything');
    const missing = install?.();
    if (missing) test.skip(missing);
    writeFileSync(join(project, 'no-config.mjs'), 'export default {}');
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: project,
      encoding: 'utf8',
      timeout: 120_000,
    });
    expect(status, stdout + stderr).toBe(0);
  }, 240_000);
}
