/** The command line as people use it: real processes, real directories. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubeconfigFor, loadAuthority, openPki } from '../src/apiserver/index.ts';
import { createContext, VirtualClock } from '../src/kernel/index.ts';
import { builtProgram } from './k8ts-process.ts';
import { everything, requires, some } from './requires.ts';
import { unpackArchive } from './unpack-archive.ts';

const scratch = mkdtempSync(join(tmpdir(), 'k8ts-cli-'));
const dataDirectory = join(scratch, 'cluster');

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function k8ts(
  args: readonly string[],
  options: { shell?: string; wrapper?: readonly string[] } = {},
): Promise<Result> {
  const program = await builtProgram();
  const wrapper = options.wrapper ?? (options.shell ? ['sh', '-c', `${options.shell}; exec "$0" "$@"`] : []);
  const command = [...wrapper, process.execPath, program, ...args];
  const child = spawn(command[0]!, command.slice(1), { cwd: scratch, stdio: ['ignore', 'pipe', 'pipe'] });
  const result = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (result[name] += text));
  return new Promise((resolve, reject) =>
    child.once('error', reject).once('close', (code) => resolve({ code, ...result })),
  );
}

/** A process that has ended stays visible until its parent asks about it. */
const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));

const json = <T>(result: Result): T => JSON.parse(result.stdout) as T;

beforeAll(async () => {
  const up = await k8ts([
    'up',
    '--data-dir',
    dataDirectory,
    '--port',
    '0',
    '--simulated-nodes',
    '2',
    '--addons',
    'none',
    '--detach',
  ]);
  expect(up, up.stderr).toMatchObject({ code: 0 });
  expect(up.stdout.trim().split('\n').at(-1)).toMatch(/^ready in \d+\.\d\d s$/);
});

afterAll(async () => {
  await k8ts(['down', '--data-dir', dataDirectory]);
  rmSync(scratch, { recursive: true, force: true });
});

describe('a running cluster', () => {
  const at = ['--data-dir', dataDirectory];

  it('shows its state', async () => {
    const status = json<{
      nodes: { name: string; ready: boolean }[];
      components: { name: string; running: boolean }[];
      server: string;
    }>(await k8ts(['status', ...at, '-o', 'json']));
    expect(status.nodes).toEqual(['sim-0', 'sim-1'].map((name) => ({ name, kind: 'simulated', ready: true })));
    expect(status.components.every(({ running }) => running)).toBe(true);
    expect((await k8ts(['status', ...at])).stdout).toContain(status.server);
  });

  it('adds and removes nodes', async () => {
    expect((await k8ts(['simulate', 'nodes', '4', ...at])).stdout).toContain('2 added');
    expect(
      json<{ added: string[] }>(
        await k8ts(['nodes', 'add', '1', '--simulated', '--prefix', 'extra', ...at, '-o', 'json']),
      ).added,
    ).toEqual(['extra-0']);
    expect((await k8ts(['nodes', 'remove', 'extra-0', ...at])).stdout).toContain('removed extra-0');
    expect((await k8ts(['simulate', 'nodes', '2', ...at])).stdout).toContain('2 removed');
    expect(json<unknown[]>(await k8ts(['nodes', 'list', ...at, '-o', 'json']))).toHaveLength(2);
  });

  it('is not started a second time', async () => {
    expect(await k8ts(['up', ...at, '--port', '0'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a cluster is running in') as string,
    });
  });

  it('is saved while it runs, and the copy runs elsewhere', async () => {
    const file = join(scratch, 'saved.tgz');
    const copy = join(scratch, 'copy');
    expect(await k8ts(['snapshot', 'save', file, ...at])).toMatchObject({ code: 0 });
    expect(await k8ts(['snapshot', 'restore', file, ...at])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was left as it is') as string,
    });
    expect(await k8ts(['snapshot', 'restore', file, '--data-dir', copy])).toMatchObject({ code: 0 });
    expect(readdirSync(join(copy, 'pki'))).toEqual(readdirSync(join(dataDirectory, 'pki')));
    writeFileSync(file, 'no snapshot');
    expect(await k8ts(['snapshot', 'restore', file, '--data-dir', join(scratch, 'other')])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a snapshot') as string,
    });
  });

  it('is started again after it was killed, with its data', async () => {
    const { pid } = json<{ pid: number }>(await k8ts(['status', ...at, '-o', 'json']));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
    const up = await k8ts(['up', ...at, '--port', '0', '--nodes', '0', '--addons', 'none', '--detach', '-o', 'json']);
    expect(up, up.stderr).toMatchObject({ code: 0 });
    expect(json<{ nodes: unknown[] }>(await k8ts(['status', ...at, '-o', 'json'])).nodes).toHaveLength(2);
  });
});

describe('one line and exit code 1 for', () => {
  const file = join(scratch, 'a-file');
  const damaged = join(scratch, 'damaged');
  const damagedKeys = join(scratch, 'damaged-keys');
  const newer = join(scratch, 'newer');
  let listening: net.Server;

  beforeAll(async () => {
    writeFileSync(file, 'text');
    for (const [directory, ...path] of [
      [damaged, 'etcd', 'store-000001.mdb'],
      [damagedKeys, 'pki', 'ca.crt'],
    ] as const) {
      mkdirSync(join(directory, path[0]), { recursive: true });
      writeFileSync(join(directory, ...path), Buffer.alloc(40_000, 'x'));
    }
    writeFileSync(join(damagedKeys, 'pki', 'ca.key'), 'x');
    mkdirSync(newer);
    writeFileSync(join(newer, 'cluster.json'), JSON.stringify({ format: 2, writtenBy: '9.9.9' }));
    listening = net.createServer();
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void listening.close());

  /** Much like one of the others: for the long form. */
  const ALIKE: [string, () => string[], RegExp][] = [
    [
      'a port in use, with data to keep',
      () => [
        'up',
        '--data-dir',
        join(scratch, 'kept'),
        '--nodes',
        '0',
        '--port',
        String((listening.address() as net.AddressInfo).port),
      ],
      /port \d+ on 127\.0\.0\.1 is in use by another program/,
    ],
    [
      'a port in use, in the background',
      () => [
        'up',
        '--ephemeral',
        '--detach',
        '--nodes',
        '0',
        '--port',
        String((listening.address() as net.AddressInfo).port),
      ],
      /port \d+ on 127\.0\.0\.1 is in use by another program/,
    ],
    ['an unknown verb', () => ['nodes', 'ad'], /did you mean nodes add\?/],
    ['a flag of etcd', () => ['etcd', '--datadir', 'x'], /unknown flag: --datadir; did you mean --data-dir\?/],
    ['a wrong value', () => ['up', '--nodes', 'many'], /it must be an integer/],
    ['a directory that is a file', () => ['up', '--data-dir', file], /choose another with --data-dir/],
    [
      'nothing to encrypt',
      () => ['reencrypt', '--data-dir', join(scratch, 'nothing')],
      /there is no cluster in .*nothing/,
    ],
  ];
  it.each<[string, () => string[], RegExp, string?]>([
    ...(everything ? ALIKE : []),
    ['an unknown command', () => ['statsu'], /unknown command "statsu"; did you mean status\?/],
    [
      'a command of another tool',
      () => ['delete', 'cluster'],
      /unknown command "delete cluster"; it is "k8ts delete" here/,
    ],
    [
      'a directory with something else',
      () => ['up', '--data-dir', join(scratch)],
      /is not empty, and no cluster lives in it \(there is .*\); choose an empty directory/,
    ],
    [
      'data of a newer release',
      () => ['up', '--data-dir', newer],
      /was written by k8ts 9\.9\.9, which is newer than this one .*Start it with k8ts 9\.9\.9 or newer/,
    ],
    ['an unknown flag', () => ['up', '--prot', '1'], /unknown flag: --prot; did you mean --port\?/],
    ['an unknown addon', () => ['up', '--addons', 'dsn'], /there is no addon dsn; there are storage, dns/],
    [
      'a port in use',
      () => ['up', '--ephemeral', '--nodes', '0', '--port', String((listening.address() as net.AddressInfo).port)],
      /port \d+ on 127\.0\.0\.1 is in use by another program; .*--port/,
    ],
    [
      'an etcd that does not answer',
      () => [
        'up',
        '--ephemeral',
        '--nodes',
        '0',
        '--port',
        '0',
        '--etcd-servers',
        'http://127.0.0.1:1',
        '--wait',
        '500ms',
      ],
      /etcd has not answered at http:\/\/127\.0\.0\.1:1 for 0\.5 s; is it running/,
    ],
    ...(process.platform === 'linux'
      ? [
          [
            'a directory that its file system refuses',
            () => ['up', '--data-dir', '/proc/x/y'],
            /\/proc\/x cannot be created on this file system; choose another directory with --data-dir/,
          ] as [string, () => string[], RegExp],
        ]
      : []),
    [
      'damaged data',
      () => ['up', '--data-dir', damaged, '--nodes', '0', '--port', '0'],
      /the stored data is damaged .*it was left as it is\. Restore a snapshot/,
    ],
    [
      'damaged keys',
      () => ['up', '--data-dir', damagedKeys, '--nodes', '0', '--port', '0'],
      /the keys in .* cannot be read .*restore them from a snapshot/,
    ],
    [
      'a node that there is not',
      () => ['nodes', 'remove', 'nope', '--data-dir', dataDirectory],
      /there is no node nope; "k8ts nodes list" lists them/,
    ],
    ['no cluster', () => ['status', '--data-dir', join(scratch, 'nothing')], /no cluster is running in .*k8ts up/],
    [
      'few files',
      () => ['up', '--ephemeral', '--nodes', '0', '--port', '0'],
      /only 100 files may be open .*ulimit -n 4096/,
      'ulimit -n 100',
    ],
    [
      'a file that is no kubeconfig',
      () => ['up', '--ephemeral', '--nodes', '0', '--port', '0', '--kubeconfig', file],
      /is not a kubeconfig; it was left as it is/,
    ],
  ])('%s', async (_, args, expected, shell) => {
    const result = await k8ts(args(), shell ? { shell } : {});
    expect(result.stderr).toMatch(expected);
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
    expect(result.code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('text');
  });

  const notRoot = requires('root', 'unshare');
  it(`a program that a node needs${notRoot ? ` (${notRoot})` : ''}`, async (test) => {
    if (notRoot) return test.skip(notRoot);
    /** The folders for programs of the system are looked into whatever PATH says: they are hidden from this one. */
    const hidden =
      'mount -t tmpfs tmpfs /usr/sbin && mount -t tmpfs tmpfs /sbin && mount -t tmpfs tmpfs /usr/local/sbin && PATH=/nonexistent';
    const result = await k8ts(['up', '--ephemeral', '--nodes', '1', '--port', '0'], {
      wrapper: ['unshare', '-m', 'sh', '-c', `${hidden} exec "$0" "$@"`],
    });
    expect(result.stderr).toMatch(
      /containers need runc and conmon and nft and ip \(apt install runc conmon nftables iproute2\); or run simulated nodes with --nodes 0 --simulated-nodes 1/,
    );
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
    expect(result.code).toBe(1);
  });

  it(`a file system that is read-only, or full${notRoot ? ` (${notRoot})` : ''}`, async (test) => {
    if (notRoot) return test.skip(notRoot);
    const mounted = join(scratch, 'mounted');
    mkdirSync(mounted);
    /** Mounts of a namespace of its own go with it. */
    const upOn = (options: string, ...flags: string[]) =>
      k8ts(['up', '--data-dir', join(mounted, 'd'), '--nodes', '0', '--addons', 'none', '--port', '0', ...flags], {
        wrapper: ['unshare', '-m', 'sh', '-c', `mount -t tmpfs -o ${options} tmpfs ${mounted} && exec "$0" "$@"`],
      });
    expect(await upOn('ro')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^k8ts up: .*mounted\/d is on a read-only file system; choose another directory with --data-dir\n$/,
      ) as string,
    });
    expect(await upOn('size=40k', '--detach')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^k8ts up: .*(?:is|may be) full.* make room, then start again/) as string,
    });
  });

  it('a directory that cannot be written to', async () => {
    const closed = join(scratch, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    chmodSync(scratch, 0o755);
    /** Root may write everywhere: then somebody else tries. */
    const program = await builtProgram();
    const asNobody =
      process.getuid?.() === 0
        ? { wrapper: ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'] }
        : {};
    if (process.getuid?.() === 0 && !(await readableToAll(program))) return;
    const result = await k8ts(['up', '--data-dir', join(closed, 'cluster'), '--port', '0'], asNobody);
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^k8ts up: no permission for .*closed\/cluster; choose a directory that you may write to with --data-dir\n$/,
      ) as string,
    });
    expect(readdirSync(closed)).toEqual([]);
  });

  it.each(some(['kube-scheduler', 'kube-controller-manager', 'kube-proxy'], 1))(
    'the kubeconfig of a deleted cluster, given to %s',
    async (component) => {
      const { server } = json<{ server: string }>(await k8ts(['status', '--data-dir', dataDirectory, '-o', 'json']));
      const old = join(scratch, 'old-kubeconfig');
      const ctx = createContext();
      const { ca } = await openPki(ctx, undefined, { dnsNames: [], addresses: ['127.0.0.1'], signingKey: 'ec' });
      writeFileSync(
        old,
        await kubeconfigFor(ctx, { server, ca, user: 'kubernetes-admin', organizations: ['system:masters'] }),
      );
      const result = await k8ts([component, '--kubeconfig', old]);
      expect(result.stderr).toMatch(
        /old-kubeconfig: the kubeconfig belongs to another cluster, or to an older one .*"k8ts status" prints the right one/,
      );
      expect(result.stderr.trim().split('\n')).toHaveLength(1);
      expect(result.code).toBe(1);
    },
  );
});

it.each(some(['kubeconfig', 'k8ts.pid', 'pki/ca.crt', 'etcd/LOCK'], 1))(
  'Ctrl-C during the start ends it: when %s is there',
  async (file) => {
    const directory = join(scratch, `interrupted-${file.replace('/', '-')}`);
    const child = spawn(
      process.execPath,
      [await builtProgram(), 'up', '--data-dir', directory, '--nodes', '0', '--port', '0'],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, K8TS_DEBUG: '1' } },
    );
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    try {
      await expect.poll(() => existsSync(join(directory, file)), { interval: 1 }).toBe(true);
      child.kill('SIGINT');
      /** One that has just become ready ends as any other. */
      expect([
        [1, 'k8ts up: ended by SIGINT'],
        [0, ''],
      ]).toContainEqual([await ended, stderr.split('\n')[0]]);
      expect(stderr).not.toContain('still running:');
      expect(existsSync(join(directory, 'k8ts.pid'))).toBe(false);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

describe('an expired certificate', () => {
  const expired = join(scratch, 'expired-kubeconfig');
  const message = /its client certificate expired on 20\d\d-\d\d-\d\d; "k8ts up" writes a kubeconfig with a new one/;

  /** The cluster's own authority has signed it, two years ago. */
  beforeAll(async () => {
    const { server } = json<{ server: string }>(await k8ts(['status', '--data-dir', dataDirectory, '-o', 'json']));
    const clock = new VirtualClock({ startTime: Date.now() - 2 * 365 * 24 * 3600 * 1000 });
    const keys = ['crt', 'key'].map((part) => readFileSync(join(dataDirectory, 'pki', `ca.${part}`), 'utf8'));
    const ca = await loadAuthority({ certificate: keys[0]!, key: keys[1]! });
    writeFileSync(
      expired,
      await kubeconfigFor(
        { ...createContext(), clock },
        { server, ca, user: 'kubernetes-admin', organizations: ['system:masters'] },
      ),
    );
  });

  it.each(
    some<[string, string[]]>(
      [
        ['kube-scheduler', ['kube-scheduler', '--kubeconfig', expired]],
        ['kubelet', ['kubelet', `--kubeconfig=${expired}`]],
        ['explain', ['explain', 'pod', 'a', '--scheduler', 'https://127.0.0.1:1', '--kubeconfig', expired]],
        ['bench', ['bench', '--against', expired]],
      ],
      1,
    ),
  )('is reported in one line by %s', async (_, args) => {
    const result = await k8ts(args);
    expect(result.stderr).toMatch(message);
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
    expect(result.code).toBe(1);
  });

  it("in the cluster's own kubeconfig is reported by status, and nodes can still be added", async () => {
    const own = join(dataDirectory, 'kubeconfig');
    const good = readFileSync(own);
    try {
      writeFileSync(own, readFileSync(expired));
      const status = await k8ts(['status', '--data-dir', dataDirectory]);
      expect(status).toMatchObject({ code: 0, stdout: expect.stringMatching(message) as string });
      expect(
        await k8ts(['nodes', 'add', '--simulated', '--prefix', 'late', '--data-dir', dataDirectory]),
      ).toMatchObject({ code: 0 });
      expect(await k8ts(['nodes', 'remove', 'late-0', '--data-dir', dataDirectory])).toMatchObject({ code: 0 });
    } finally {
      writeFileSync(own, good);
    }
  });
});

/** Whether nobody's eyes may see the program: the folders above it may be closed to them. */
async function readableToAll(program: string): Promise<boolean> {
  const child = spawn(
    'setpriv',
    ['--reuid', '65534', '--regid', '65534', '--clear-groups', process.execPath, '--check', program],
    { stdio: 'ignore' },
  );
  return new Promise((resolve) =>
    child.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0)),
  );
}

it.each(
  some<[string, string[]]>(
    [
      ['version', ['version']],
      ['doctor', ['doctor']],
      ['status', ['status', '--data-dir', dataDirectory]],
      ['nodes list', ['nodes', 'list', '--data-dir', dataDirectory]],
      ['simulate nodes', ['simulate', 'nodes', '2', '--data-dir', dataDirectory]],
      ['snapshot save', ['snapshot', 'save', join(scratch, 'json.tgz'), '--data-dir', dataDirectory]],
      ['completion', ['completion', 'bash']],
      ['the version of a component', ['kubelet', '--version']],
      ['help', ['help']],
      ['help of a command', ['up', '--help']],
      ['help of a component', ['kube-scheduler', '--help']],
      ['the version of etcd', ['etcd', '--version']],
    ],
    4,
  ),
)('%s prints JSON with -o json', async (_, args) => {
  const result = await k8ts([...args, '-o', 'json']);
  expect(result.stderr).toBe('');
  expect(json<unknown>(result)).toBeTypeOf('object');
});

it('a kubeconfig keeps its other clusters', async () => {
  const file = join(scratch, 'merged');
  writeFileSync(
    file,
    'apiVersion: v1\nkind: Config\nclusters: [{name: old, cluster: {server: "https://example.com"}}]\nusers: [{name: kubernetes-admin, user: {token: theirs}}]\ncontexts:\ncurrent-context: old\n',
  );
  const up = await k8ts([
    'up',
    '--ephemeral',
    '--nodes',
    '0',
    '--addons',
    'none',
    '--port',
    '0',
    '--kubeconfig',
    file,
    '--detach',
    '-o',
    'json',
  ]);
  expect(up, up.stderr).toMatchObject({ code: 0 });
  const { pid } = json<{ pid: number }>(up);
  const config = parse(readFileSync(file, 'utf8')) as {
    clusters: { name: string }[];
    users: { name: string; user: object }[];
    'current-context': string;
  };
  expect(config.clusters.map(({ name }) => name)).toEqual(['old', 'k8ts']);
  expect(config.users.map(({ name }) => name)).toEqual(['kubernetes-admin', 'k8ts-admin']);
  expect(config.users[0]!.user).toEqual({ token: 'theirs' });
  expect(config['current-context']).toBe('kubernetes-admin@k8ts');
  process.kill(pid, 'SIGTERM');
  await expect.poll(() => isRunning(pid)).toBe(false);
});

it.each(some(['bash', 'zsh', 'fish'], 1))('completes commands and flags in %s', async (shell) => {
  const { stdout, code } = await k8ts(['completion', shell]);
  expect(code).toBe(0);
  for (const word of ['snapshot', 'simulated-nodes', 'restore', 'register-with-taints']) expect(stdout).toContain(word);
});

it.each([
  ['kube-apiserver', '--version', /^Kubernetes v1\.36\.\d+\n$/],
  ['kube-proxy', '--version=raw', /^version\.Info\{Major:"1", Minor:"36", .*GitVersion:"v1\.36\.\d+"/],
  ['etcd', '--version', /^etcd Version: 3\.\d+\.\d+\n$/],
])('%s %s', async (component, flag, expected) => {
  expect(await k8ts([component, flag])).toMatchObject({ code: 0, stdout: expect.stringMatching(expected) as string });
});

it('opens the data of 0.1.0, converts it, and deletes it with its kubeconfig entries', async () => {
  const directory = join(scratch, 'older');
  const kubeconfig = join(scratch, 'older.kubeconfig');
  mkdirSync(directory);
  await unpackArchive(join(import.meta.dirname, 'data', 'data-directory-0.1.0.tgz'), directory);
  const flags = ['--port', '0', '--nodes', '0', '--addons', 'none', '--kubeconfig', kubeconfig, '-o', 'json'];
  const up = await k8ts(['up', '--detach', '--data-dir', directory, ...flags]);
  expect(up, up.stderr).toMatchObject({ code: 0 });
  const status = json<{ nodes: { name: string }[] }>(await k8ts(['status', '--data-dir', directory, '-o', 'json']));
  // Its objects are there: two simulated nodes, as they were.
  expect(status.nodes.map(({ name }) => name)).toEqual(['sim-0', 'sim-1']);
  expect(JSON.parse(readFileSync(join(directory, 'cluster.json'), 'utf8'))).toMatchObject({ format: 1, nodes: [] });
  expect(readFileSync(kubeconfig, 'utf8')).toContain('k8ts-older');
  expect(await k8ts(['delete', '--data-dir', directory])).toMatchObject({
    code: 0,
    stdout: `deleted the cluster in ${directory}\nremoved its entries from ${kubeconfig}\n`,
  });
  expect(existsSync(directory)).toBe(false);
  expect(readFileSync(kubeconfig, 'utf8')).not.toContain('k8ts-older');
});

it.runIf(everything)(
  'finds a cluster in memory from the directory that it was started in, and from no other (long form)',
  async () => {
    const elsewhere = join(scratch, 'elsewhere');
    mkdirSync(elsewhere);
    const flags = ['--ephemeral', '--port', '0', '--simulated-nodes', '1', '--addons', 'none', '--detach'];
    const up = await k8ts(['up', ...flags], { shell: `cd ${elsewhere}` });
    expect(up, up.stderr).toMatchObject({ code: 0 });
    const here = await k8ts(['status']);
    expect(here.code).toBe(1);
    expect(here.stderr).toMatch(/no cluster is running in .*In memory: \S+ \(started in .*elsewhere\)/);
    expect(await k8ts(['down'])).toMatchObject({ code: 1 });
    expect(await k8ts(['down'], { shell: `cd ${elsewhere}` })).toMatchObject({ code: 0 });
  },
);

it.each(some(['win32', 'darwin'], 1))('runs simulated nodes with Node alone, as on %s', async (platform) => {
  const directory = join(scratch, `elsewhere-${platform}`);
  const preload = join(import.meta.dirname, 'data', 'other-platform.cjs');
  const shell = `export NODE_OPTIONS="--require ${preload}" OTHER_PLATFORM=${platform} npm_config_platform=linux PATH=/nowhere`;
  const flags = ['--data-dir', directory, '--port', '0', '--simulated-nodes', '1', '--detach'];
  const up = await k8ts(['up', ...flags], { shell });
  expect(up, up.stderr).toMatchObject({ code: 0 });
  const again = await k8ts(['up', ...flags], { shell });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('a cluster is running in') });
  expect(await k8ts(['status', '--data-dir', directory], { shell })).toMatchObject({ code: 0 });
  expect(await k8ts(['delete', '--data-dir', directory], { shell })).toMatchObject({ code: 0 });
  expect(existsSync(directory)).toBe(false);
});

const noContainers =
  requires('root', 'unshare', 'runc', 'conmon', 'nft', 'ip', 'tc', 'conntrack') ??
  (everything ? undefined : 'runs with everything');
it(`replaces simulated nodes when containers can run${noContainers ? ` (${noContainers})` : ''}`, async (test) => {
  if (noContainers) return test.skip(noContainers);
  const directory = join(scratch, 'stand-in');
  const flags = ['--data-dir', directory, '--port', '0', '--addons', 'none', '--detach'];
  const hidden = 'for d in /usr/sbin /sbin /usr/local/sbin; do mount -t tmpfs tmpfs $d; done; PATH=/nonexistent';
  const wrapper = ['unshare', '-m', 'sh', '-c', `${hidden} exec "$0" "$@"`];
  const nodes = async (): Promise<string> => {
    const { code, stdout, stderr } = await k8ts(['nodes', 'list', '--data-dir', directory]);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  try {
    for (let start = 0; start < 2; start++) {
      const without = await k8ts(['up', ...flags], { wrapper });
      expect(without.stdout).toContain('The node is simulated and runs no containers: containers need runc');
      expect(await nodes()).toMatch(/^sim-0 +simulated +true$/m);
      await k8ts(['down', '--data-dir', directory]);
    }
    const up = await k8ts(['up', ...flags]);
    expect(up.code, up.stderr).toBe(0);
    expect(up.stderr + up.stdout).toContain('Removing sim-0 with its pods: nodes can run containers now.');
    expect((await nodes()).trim().split('\n').slice(1)).toEqual([expect.stringMatching(/ +real +true$/)]);
  } finally {
    await k8ts(['delete', '--data-dir', directory]);
  }
});

it('reports how long the user waited, from the start of the process', async () => {
  const directory = join(scratch, 'slow');
  // As a machine that needs a second and a half to load the program.
  const slow = join(scratch, 'slow.cjs');
  writeFileSync(slow, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);');
  const flags = ['--data-dir', directory, '--port', '0', '--simulated-nodes', '1', '--addons', 'none', '-o', 'json'];
  const up = await k8ts(['up', '--detach', ...flags], { shell: `export NODE_OPTIONS="--require ${slow}"` });
  await k8ts(['down', '--data-dir', directory]);
  // The process of the command and the one in the background are both slow.
  expect(json<{ readySeconds: number }>(up).readySeconds).toBeGreaterThan(3);
});

it('reports what is missing on the machine', async () => {
  const checks = json<{ name: string; ok: boolean }[]>(await k8ts(['doctor', '-o', 'json']));
  expect(checks.find(({ name }) => name.startsWith('Node'))?.ok).toBe(true);
});
