import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NODE_PROGRAMS } from '../src/cluster/index.ts';
import {
  ensurePrograms,
  missingPrograms,
  rememberedFailures,
  startsContainers,
  thisMachine,
} from './install-packages.mjs';
import { MANAGERS, servicesOf } from './package-managers.mjs';
import { PROGRAMS, UPSTREAM_PROGRAMS } from './programs.mjs';

type Machine = NonNullable<Parameters<typeof ensurePrograms>[1]>;
type RunResult = ReturnType<Machine['run']>;

const root = path.join(import.meta.dirname, '..');
const OK: RunResult = { ok: true, timedOut: false, output: '' };
const failed = (output: string, timedOut = false): RunResult => ({ ok: false, timedOut, output });

interface Fake {
  readonly machine: Machine;
  readonly said: string[];
  /** What the package manager was told: its verb, what it may not do, and the packages. */
  readonly ran: string[];
}

interface FakeOptions extends Partial<Pick<Machine, 'platform' | 'isRoot' | 'environment'>> {
  /** Programs that are there; by default everything but `runc` and `nft`. */
  readonly lacks?: readonly string[];
  readonly manager?: string | undefined;
  readonly inVain?: readonly string[];
  readonly systemd?: boolean;
  readonly run?: (packages: readonly string[], args: readonly string[]) => RunResult | undefined;
}

/** A machine whose package manager works, unless `run` says otherwise: it then has all programs of the packages. */
function fakeMachine(options: FakeOptions = {}): Fake {
  const { platform = 'linux', isRoot = true, environment = { PATH: '/usr/bin' }, lacks = ['runc', 'nft'] } = options;
  const manager = 'manager' in options ? options.manager : 'apt-get';
  const lacking = new Set(lacks);
  const inVain = new Set(options.inVain);
  const said: string[] = [];
  const ran: string[] = [];
  const packagesIn = (args: readonly string[]): string[] =>
    args.filter((word) =>
      Object.values(PROGRAMS).some(({ packages }) => Object.values(packages).join(' ').split(' ').includes(word)),
    );
  const machine: Machine = {
    platform,
    isRoot,
    environment,
    exists: (file) => {
      if (file === `/usr/bin/${manager}`) return true;
      if (file === '/run/systemd/system') return options.systemd === true;
      const name = Object.keys(PROGRAMS).find((program) => placesOf(program).includes(file));
      return name !== undefined && !lacking.has(name);
    },
    list: (directory) => (directory === '/usr/lib' ? ['python3', 'python3.11'] : []),
    run: (command, args, { timeoutMs }) => {
      expect(timeoutMs).toBeGreaterThan(0);
      expect(timeoutMs).toBeLessThanOrEqual(600_000);
      const packages = packagesIn(args);
      const words = ['update', 'disable', '--download-only', '--no-download', '--downloadonly', 'add', '--no-remove'];
      ran.push(
        [
          command,
          ...words.filter((word) => args.includes(word)),
          ...(command === 'systemctl' ? args.slice(1) : packages),
        ].join(' '),
      );
      const result = options.run?.(packages, args) ?? OK;
      if (result.ok && !args.some((word) => word.startsWith('--download'))) {
        for (const [name, program] of Object.entries(PROGRAMS)) {
          if (Object.values(program.packages).some((text) => text.split(' ').some((one) => packages.includes(one))))
            lacking.delete(name);
        }
      }
      return result;
    },
    withoutServices: (install) => {
      ran.push('{');
      const result = install();
      ran.push('}');
      return result;
    },
    failures: { recent: () => [...inVain], add: (packages) => packages.forEach((name) => inVain.add(name)) },
    say: (line) => said.push(line),
  };
  return { machine, said, ran };
}

function placesOf(program: string): readonly string[] {
  return PROGRAMS[program]?.files?.map((file) => file.replace('*', '11')) ?? [`/usr/bin/${program}`];
}

describe('missing packages', () => {
  it.each([
    ['start', ['runc', 'conmon', 'nft', 'ip', 'tc', 'conntrack']],
    ['test', Object.keys(PROGRAMS).filter((name) => PROGRAMS[name]?.command !== 'verify')],
    ['verify', Object.keys(PROGRAMS)],
  ] as const)('for npm %s on an empty machine', (command, expected) => {
    expect(missingPrograms(command, { environment: {}, exists: () => false, list: () => [] })).toEqual(expected);
  });

  it('is looked for in the PATH, in the folders of the system and in files', () => {
    const files = new Set([
      '/opt/tools/runc',
      '/usr/sbin/nft',
      '/usr/lib/python3.11/site-packages/kubernetes',
      '/usr/lib/cni/portmap',
    ]);
    const machine = {
      environment: { PATH: '/opt/tools:relative' },
      exists: (file: string) => files.has(file),
      list: (directory: string) => (directory === '/usr/lib' ? ['python3', 'python3.11'] : []),
    };
    const missing = missingPrograms('test', machine);
    for (const there of ['runc', 'nft', 'python3-kubernetes', 'portmap']) expect(missing).not.toContain(there);
    expect(missing).toContain('conmon');
  });

  it('is found on this machine in a few milliseconds', () => {
    const exists = (file: string): boolean => fs.existsSync(file);
    const list = (directory: string): string[] => (fs.existsSync(directory) ? fs.readdirSync(directory) : []);
    missingPrograms('test', { environment: process.env, exists, list });
    const times = Array.from({ length: 5 }, () => {
      const startedAt = performance.now();
      missingPrograms('test', { environment: process.env, exists, list });
      return performance.now() - startedAt;
    });
    expect(Math.min(...times)).toBeLessThan(20);
  });
});

describe('installing', () => {
  it('does nothing when everything is there', () => {
    const { machine, said, ran } = fakeMachine({ lacks: [] });
    ensurePrograms('verify', machine);
    expect([said, ran]).toEqual([[], []]);
  });

  it('reports it, runs apt, and starts no service', () => {
    const { machine, said, ran } = fakeMachine({ lacks: ['runc', 'ip', 'tc', 'etcd'], systemd: true });
    ensurePrograms('test', machine);
    expect(said).toEqual(['Installing with apt-get (K8TS_NO_INSTALL=1 prevents it): runc iproute2 etcd-server']);
    expect(ran).toEqual([
      '{',
      'apt-get update',
      'apt-get --download-only --no-remove runc iproute2 etcd-server',
      'apt-get --no-download --no-remove runc iproute2 etcd-server',
      '}',
      'systemctl disable etcd.service',
    ]);
  });

  it.each([
    ['dnf', ['dnf --downloadonly runc nftables', 'dnf runc nftables']],
    ['apk', ['apk add runc nftables']],
  ])('runs %s', (manager, expected) => {
    const { machine, said, ran } = fakeMachine({ manager });
    ensurePrograms('start', machine);
    expect(said).toEqual([`Installing with ${manager} (K8TS_NO_INSTALL=1 prevents it): runc nftables`]);
    expect(ran).toEqual(expected);
  });

  it.each<[string, FakeOptions, string[]]>([
    [
      'is told not to',
      { environment: { K8TS_NO_INSTALL: '1' } },
      ['Missing for containers: runc, nft. K8TS_NO_INSTALL is set; by hand: apt-get install runc nftables'],
    ],
    [
      'is not root',
      { isRoot: false },
      ['Missing for containers: runc, nft. Only root can install them: apt-get install runc nftables'],
    ],
    [
      'has no package manager',
      { manager: undefined },
      ['Missing for containers: runc, nft. There is no apt-get, dnf or apk to install them with.'],
    ],
    [
      'tried in vain today',
      { inVain: ['runc', 'nftables'] },
      ['Missing for containers: runc, nft. apt-get could not install them before and is asked again after a day.'],
    ],
    ['is not Linux', { platform: 'darwin' }, []],
  ])('does nothing for a user who %s', (_, options, expected) => {
    const { machine, said, ran } = fakeMachine(options);
    ensurePrograms('start', machine);
    expect(said).toEqual(expected);
    expect(ran).toEqual([]);
  });

  it.each<[string, string]>([
    ['apt-get', 'E: Unable to locate package kubernetes-client\n'],
    ['dnf', 'Error: Unable to find a match\nNo match for argument: /usr/bin/kubectl\n'],
    ['apk', 'ERROR: unable to select packages:\n  kubectl (no such package):\n    required by: world[kubectl]\n'],
  ])('continues without a package that %s does not have, and does not request it again', (manager, output) => {
    const isUnknown = (packages: readonly string[]): boolean =>
      packages.some((name) => ['kubernetes-client', '/usr/bin/kubectl', 'kubectl'].includes(name));
    const { machine, said, ran } = fakeMachine({
      manager,
      lacks: ['runc', 'kubectl'],
      run: (packages) => (isUnknown(packages) ? failed(output) : undefined),
    });
    ensurePrograms('test', machine);
    expect(said).toHaveLength(2);
    expect(said[1]).toMatch(new RegExp(`^Missing for some tests: kubectl\\. ${manager}: `));
    const before = ran.length;
    ensurePrograms('test', machine);
    expect(ran).toHaveLength(before);
    expect(said[2]).toBe(
      `Missing for some tests: kubectl. ${manager} could not install them before and is asked again after a day.`,
    );
  });

  it('requests unknown packages again if the mirrors did not answer', () => {
    const { machine, ran } = fakeMachine({
      run: (packages, args) =>
        args.includes('update') ? failed('') : failed(`E: Unable to locate package ${packages[0]}`),
    });
    ensurePrograms('start', machine);
    const before = ran.length;
    ensurePrograms('start', machine);
    expect(ran).toHaveLength(2 * before);
  });

  it('installs each separately when installing all together fails', () => {
    const { machine, said, ran } = fakeMachine({
      lacks: ['runc', 'zstd', 'gcc'],
      run: (packages) =>
        packages.includes('zstd') ? failed('dpkg: no\nE: Sub-process returned an error\n') : undefined,
    });
    ensurePrograms('test', machine);
    expect(ran.filter((line) => line.includes('--no-download'))).toEqual([
      'apt-get --no-download --no-remove runc',
      'apt-get --no-download --no-remove gcc',
      'apt-get --no-download --no-remove libc6-dev',
    ]);
    expect(said.at(-1)).toBe('Missing for some tests: zstd. apt-get: E: Sub-process returned an error');
  });

  it('gives up after one time-out', () => {
    const { machine, said, ran } = fakeMachine({
      run: (_, args) => (args.includes('install') ? failed('', true) : undefined),
    });
    ensurePrograms('start', machine);
    expect(ran).toEqual(['{', 'apt-get update', 'apt-get --download-only --no-remove runc nftables', '}']);
    expect(said.at(-1)).toBe('Missing for containers: runc, nft. apt-get took too long.');
  });

  it('never throws', () => {
    const { machine, said } = fakeMachine();
    ensurePrograms('start', {
      ...machine,
      run: () => {
        throw new Error('no more processes');
      },
    });
    expect(said.at(-1)).toBe('Packages were not installed: no more processes');
  });
});

it.each([
  [
    'dnf',
    [
      '-q -y --setopt=timeout=20 --setopt=retries=2 --setopt=install_weak_deps=False install --downloadonly runc conmon nftables iproute iproute-tc conntrack-tools',
      '-q -y --setopt=timeout=20 --setopt=retries=2 --setopt=install_weak_deps=False install runc conmon nftables iproute iproute-tc conntrack-tools',
    ],
  ],
  ['apk', ['add --quiet --no-cache runc conmon nftables iproute2 conntrack-tools']],
])('runs the program %s with its arguments, on a machine without others', (manager, expected) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-packages-'));
  vi.stubEnv('PATH', `${directory}:/usr/bin:/bin`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    fs.rmSync(directory, { recursive: true });
  });
  const programs = ['runc', 'conmon', 'nft', 'ip', 'tc', 'conntrack'].join(' ');
  fs.writeFileSync(
    path.join(directory, manager),
    `#!/bin/sh
echo "$*" >> "$(dirname "$0")/ran"
case "$*" in *--downloadonly*) exit 0;; esac
cd "$(dirname "$0")" && touch ${programs}
`,
    { mode: 0o755 },
  );
  const said: string[] = [];
  ensurePrograms('start', {
    ...thisMachine(),
    platform: 'linux',
    isRoot: true,
    environment: { PATH: directory },
    // Managers are looked for in the folders of the system.
    exists: (file) => file === `/usr/bin/${manager}` || (file.startsWith(directory) && fs.existsSync(file)),
    failures: { recent: () => [], add: () => {} },
    say: (line) => said.push(line),
  });
  expect(fs.readFileSync(path.join(directory, 'ran'), 'utf8').trimEnd().split('\n')).toEqual(expected);
  expect(said).toEqual([expect.stringContaining(`Installing with ${manager} (K8TS_NO_INSTALL=1 prevents it): runc`)]);
});

it('remembers for a day which packages cannot be installed', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-packages-'));
  onTestFinished(() => fs.rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'a', 'b.json');
  const failures = rememberedFailures(file);
  expect(failures.recent()).toEqual([]);
  failures.add(['one']);
  failures.add(['two']);
  expect(rememberedFailures(file).recent()).toEqual(['one', 'two']);
  fs.writeFileSync(file, JSON.stringify({ one: Date.now() - 25 * 3_600_000, two: Date.now() }));
  expect(failures.recent()).toEqual(['two']);
  fs.writeFileSync(file, 'no JSON');
  expect(failures.recent()).toEqual([]);
});

it.each<[boolean, string[]]>([
  [true, []],
  [true, ['--ephemeral', '--port', '0']],
  [true, ['--nodes', '3']],
  [true, ['--nodes=1', '--simulated-nodes=5']],
  [false, ['--nodes', '0']],
  [false, ['--nodes=0']],
  [false, ['--simulated-nodes', '5']],
  [true, ['--simulated-nodes', '0']],
  [false, ['--help']],
])('is %s that npm start -- %j runs containers', (expected, args) => {
  expect(startsContainers(args)).toBe(expected);
});

describe('the table of programs', () => {
  it('has what k8ts doctor needs, with the same packages and texts', () => {
    const ours = Object.fromEntries(
      Object.keys(NODE_PROGRAMS).map((name) => [
        name,
        { package: PROGRAMS[name]?.packages.apt, purpose: PROGRAMS[name]?.purpose },
      ]),
    );
    expect(ours).toEqual(NODE_PROGRAMS);
    for (const name of Object.keys(NODE_PROGRAMS)) expect(PROGRAMS[name]?.command).toBe('start');
  });

  it('has every program that a test requires', () => {
    const files = ['src', 'test'].flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => path.join(root, folder, file)),
    );
    const required = files.flatMap((file) =>
      [...fs.readFileSync(file, 'utf8').matchAll(/\b(?:requires|namespacesMissing)\(((?:'[^']+'(?:, )?)+)\)/g)].flatMap(
        ([, list = '']) => list.match(/[^', ]+/g) ?? [],
      ),
    );
    const programs = new Set(required.map((need) => need.replace(/>=.*/, '')));
    expect(programs.size).toBeGreaterThan(20);
    // Not programs, and what runs the tests.
    for (const given of ['root', 'npm', ...UPSTREAM_PROGRAMS]) programs.delete(given);
    expect([...programs].filter((name) => !(name in PROGRAMS)).sort()).toEqual([]);
  });

  it('has a Debian package in every row, and names the services that a package starts', () => {
    for (const [name, { packages }] of Object.entries(PROGRAMS)) expect(packages.apt, name).toBeTruthy();
    expect(servicesOf(['runc', 'etcd-server', 'docker-registry', 'containerd'])).toEqual([
      'etcd.service',
      'docker-registry.service',
      'containerd.service',
    ]);
    expect(Object.keys(MANAGERS)).toEqual(['apt', 'dnf', 'apk']);
  });
});
