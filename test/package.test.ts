/** The package as people install it: packed, unpacked into an empty project, and used by their tools. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declarations, manual } from '../scripts/build.mjs';
import { copyPackage } from './k8ts-process.ts';
import { everything, requires, some } from './requires.ts';
import { unpackArchive } from './unpack-archive.ts';

const root = path.join(import.meta.dirname, '..');
/** Outside of this project, so that nothing of it is found by accident. */
const project = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-package-'));
const modules = path.join(project, 'node_modules');
const MAX_TARBALL_BYTES = 4 * 2 ** 20;

interface Result {
  readonly code: number | null;
  readonly output: string;
}

interface RunOptions {
  readonly cwd?: string;
  readonly timeout?: number;
  readonly env?: NodeJS.ProcessEnv;
}

function run(command: string, args: readonly string[], options: RunOptions = {}): Result {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: project,
    encoding: 'utf8',
    timeout: 120_000,
    ...options,
  });
  return { code: status, output: `${stdout}${stderr}` };
}

const node = (...args: string[]): Result => run(process.execPath, args);
const tool = (name: string, file: string): string => path.join(root, 'node_modules', name, file);

function write(files: Readonly<Record<string, string | object>>): void {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    fs.writeFileSync(path.join(project, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

let packed: Packed;
beforeAll(async () => {
  const staging = path.join(project, 'staging');
  await copyPackage(path.join(staging, 'dist'));
  // As a start leaves one behind: no part of the package.
  fs.writeFileSync(path.join(staging, 'dist', 'k8ts-0.cache'), 'compiled');
  await declarations(path.join(staging, 'dist'));
  // It loads native modules, as an installed package does.
  link('lmdb', staging);
  link('koffi', staging);
  manual(path.join(staging, 'dist'));
  for (const name of ['package.json', 'bin', 'README.md', 'SECURITY.md', 'LICENSE', 'CHANGELOG.md'])
    fs.cpSync(path.join(root, name), path.join(staging, name), { recursive: true });
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', project];
  const { stdout, stderr, status } = spawnSync('npm', pack, { cwd: staging, encoding: 'utf8', timeout: 60_000 });
  expect(status, stderr).toBe(0);
  const said = JSON.parse(stdout) as Packed[] | Record<string, Packed>;
  packed = Object.values(said)[0]!;
  fs.mkdirSync(modules);
  await unpackArchive(path.join(project, packed.filename), modules);
  fs.renameSync(path.join(modules, 'package'), path.join(modules, 'k8ts'));
  // As npm would install them: the package's dependencies and what a project brings along.
  for (const name of ['lmdb', 'koffi', 'vitest', 'typescript', '@types/node', 'undici-types']) link(name);
  write({ 'package.json': { name: 'project', type: 'module', private: true } });
}, 300_000);
afterAll(() => fs.rmSync(project, { recursive: true, force: true }));

function link(name: string, directory = project): void {
  const place = path.join(directory, 'node_modules', name);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  const target = path.join(root, 'node_modules', name);
  if (fs.existsSync(target)) fs.symlinkSync(fs.realpathSync(target), place);
}

it('is small, and has only what it needs', () => {
  expect(packed.size).toBeLessThan(MAX_TARBALL_BYTES);
  const unwanted = packed.files.filter(({ path: file }) => /\.cache$|\.test\.|^src\/|^test\//.test(file));
  expect(unwanted).toEqual([]);
});

it('has a manual page, and a name by which kubectl calls it', () => {
  expect(packed.files.map(({ path: file }) => file)).toContain('dist/k8ts.1');
  const { bin, man } = JSON.parse(fs.readFileSync(path.join(modules, 'k8ts', 'package.json'), 'utf8')) as {
    bin: object;
    man: string[];
  };
  expect(Object.keys(bin)).toEqual(['k8ts', 'kubectl-k8ts']);
  expect(fs.readFileSync(path.join(modules, 'k8ts', man[0]!), 'utf8')).toMatch(/^\.TH K8TS 1 /);
});

it('has a program', () => {
  const { code, output } = node(path.join(modules, 'k8ts', 'bin', 'k8ts'), 'version');
  expect(output).toMatch(/^k8ts \d+\.\d+\.\d+\nKubernetes API v1\.36/);
  expect(code).toBe(0);
});

const INSTALL = ['install', '--no-audit', '--no-fund', '--no-save', '--no-package-lock', '--prefix'];

const USE = `
interface Widget extends ApiObject { spec: { speed: number } }
async function main(): Promise<void> {
  const cluster = await Cluster.start({ nodes: 2, clock: 'virtual' });
  await cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { b: 'c' } });
  const { items } = await cluster.client.resource('v1/pods').list({ namespace: 'default' });
  const phase: string | undefined = items[0]?.status?.phase;
  const widget = await cluster.client.resource<Widget>('example.com/v1/widgets').get({ namespace: 'default', name: 'w' });
  const speed: number = widget.spec.speed;
  // @ts-expect-error There is no such field: the types are there.
  items[0]?.status?.nothing;
  const client: Client = cluster.client;
  const script: PodScript = { runFor: '1s' };
  console.log(phase, speed, client, script);
}
void main();
`;
const IMPORTS = `import { Cluster, type ApiObject } from 'k8ts';
import { type Client } from 'k8ts/client';
import { type PodScript } from 'k8ts/testing';
`;

describe('types in strict projects that check libraries too', () => {
  const PROJECTS = [
    { name: 'nodenext', files: ['module.mts', 'required.cts'], module: 'nodenext', resolution: 'nodenext' },
    { name: 'node16', files: ['node16.mts'], module: 'node16', resolution: 'node16' },
    { name: 'bundler', files: ['bundler.ts'], module: 'esnext', resolution: 'bundler' },
  ];

  /** What this compiler has to say about them. */
  function compile(compiler: string, projects: typeof PROJECTS): string {
    return projects.map((one) => compileOne(compiler, one)).join('');
  }

  function compileOne(compiler: string, { name, files, module, resolution }: (typeof PROJECTS)[number]): string {
    for (const file of files) write({ [`types/${file}`]: `${IMPORTS}${USE}` });
    write({
      [`types/${name}.json`]: {
        compilerOptions: {
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          target: 'es2022',
          types: ['node'],
          module,
          moduleResolution: resolution,
        },
        files,
      },
    });
    const { code, output } = node(compiler, '--project', path.join('types', `${name}.json`));
    return code === 0 ? output : `${name}: ${output || `code ${code}`}`;
  }

  it.each(some(PROJECTS, 1))('$name', (one) => {
    expect(compile(tool('typescript', 'bin/tsc'), [one])).toBe('');
  });

  it.runIf(everything).for(['5.2', '5.4', '5.9', '6'])(
    'with TypeScript %s (long form)',
    { timeout: 600_000 },
    (version, { skip }) => {
      const installed = run('npm', [...INSTALL, path.join(project, `typescript-${version}`), `typescript@~${version}`]);
      if (installed.code !== 0) skip(`it cannot be installed: ${installed.output.trim().split('\n').at(-1) ?? ''}`);
      const compiler = path.join(project, `typescript-${version}`, 'node_modules/typescript/bin/tsc');
      expect(compile(compiler, PROJECTS)).toBe('');
    },
  );
});

const STORY = `
  const cluster = await Cluster.start({ clock: 'virtual', seed: 1 });
  await cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await cluster.waitFor('pod/a', 'Ready');
  await cluster.stop();
`;

describe('runs in', () => {
  it.runIf(everything)('node:test, as a module (long form)', () => {
    write({
      'a.test.mjs': `import { test } from 'node:test';\nimport { Cluster } from 'k8ts/testing';\ntest('a', async () => {${STORY}});`,
    });
    const { code, output } = node('--test', 'a.test.mjs');
    expect(code, output).toBe(0);
  });

  it('node:test, by require, with one instance for both', () => {
    const same = `const assert = require('node:assert');
assert.equal(require('k8ts').Cluster, Cluster);
assert.equal((await import('k8ts')).Cluster, Cluster);
assert.equal(typeof require('k8ts/client').Client, 'function');`;
    write({
      'b.test.cjs': `const { test } = require('node:test');\nconst { Cluster } = require('k8ts/testing');\ntest('b', async () => {${same}${STORY}});`,
    });
    const { code, output } = node('--test', 'b.test.cjs');
    expect(code, output).toBe(0);
  });

  it('vitest, in a project of four files', () => {
    write({
      'vitest.config.ts':
        "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ test: { include: ['vitest/*.test.ts'], testTimeout: 60_000 } });",
      'tsconfig.json': { compilerOptions: { strict: true, module: 'nodenext' } },
      'vitest/c.test.ts': `import { test } from 'vitest';\nimport { Cluster } from 'k8ts/testing';\ntest('c', async () => {${STORY}});`,
    });
    const { code, output } = node(tool('vitest', 'vitest.mjs'), 'run');
    expect(code, output).toBe(0);
  });

  it.runIf(everything)(
    'plain jest (long form)',
    ({ skip }) => {
      const installed = run('npm', [...INSTALL, path.join(project, 'tools'), 'jest@30']);
      if (installed.code !== 0) skip(`jest cannot be installed: ${installed.output.trim().split('\n').at(-1) ?? ''}`);
      write({
        'jest/package.json': { name: 'plain' },
        'jest/d.test.js': `const { Cluster } = require('k8ts/testing');\ntest('d', async () => {${STORY}}, 60_000);`,
      });
      const { code, output } = run(process.execPath, [path.join(project, 'tools/node_modules/jest/bin/jest.js')], {
        cwd: path.join(project, 'jest'),
      });
      expect(code, output).toBe(0);
    },
    240_000,
  );
});

describe('for operators in other languages', () => {
  const operator = path.join(project, 'operator');
  const assets = path.join(operator, 'assets');
  beforeAll(() => {
    fs.cpSync(path.join(import.meta.dirname, 'data', 'envtest-project'), operator, { recursive: true });
    const { code, output } = node(path.join(modules, 'k8ts', 'bin', 'k8ts'), 'envtest', '--directory', assets);
    expect(output.trim()).toBe(assets);
    expect(code).toBe(0);
  });

  it('has the programs of envtest, with the flags that it looks for', () => {
    expect(fs.readdirSync(assets).sort()).toEqual(['etcd', 'kube-apiserver', 'kubectl']);
    const flags = { etcd: '--listen-client-urls', 'kube-apiserver': '--etcd-servers' };
    for (const [name, flag] of Object.entries(flags)) {
      const { output, code } = run(path.join(assets, name), ['--help']);
      expect(code).toBe(0);
      expect(output).toMatch(new RegExp(String.raw`^\s*${flag}\b`, 'm'));
      expect(output).not.toMatch(/^\s*--insecure-port\b/m);
    }
  });

  const missing = requires('openssl');
  it.skipIf(missing !== undefined)(`runs the suite of an operator${missing ? ` (${missing})` : ''}`, () => {
    const environment = {
      PATH: process.env.PATH,
      HOME: operator,
      KUBEBUILDER_ASSETS: assets,
      NO_KUBECTL: requires('kubectl') === undefined ? '0' : '1',
    };
    const { code, output } = run('npm', ['test'], { cwd: operator, env: environment });
    expect(code, output).toBe(0);
    expect(output).toMatch(/^# pass [56]$/m);
  });
});

it.runIf(everything)('can be published (long form)', () => {
  const { code, output } = run('npm', ['publish', '--dry-run', path.join(project, packed.filename)]);
  expect(code, output).toBe(0);
  expect(output).toContain(`k8ts@`);
});
