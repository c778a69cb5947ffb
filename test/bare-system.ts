/** A Debian with nothing but its base system, Node, npm and a clone of the project, in namespaces of its own. */
import {
  type ChildProcess,
  type ExecFileSyncOptions,
  type SpawnOptions,
  execFileSync,
  spawn,
} from 'node:child_process';
import fs from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { inNetns, runIn } from '../src/net/netns/index.ts';
import { TestNamespaces } from '../src/net/netns/testing/index.ts';
import { startHttpProxy } from './http-proxy.ts';
import { findProgram } from './requires.ts';

/** For `requires`. */
export const BARE_SYSTEM_NEEDS = ['root', 'debootstrap', 'unshare', 'nsenter', 'mount', 'ip', 'git', 'npm'] as const;

const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
const project = join(import.meta.dirname, '..');
const PROJECT_INSIDE = '/root/k8ts';

export interface BareSystem {
  /** Its root directory, seen from outside. */
  readonly root: string;
  /** A program in it, in the clone, as the leader of a process group. */
  start(command: readonly string[], environment?: Readonly<Record<string, string>>): BareProcess;
  /** Ends everything in it and removes it. */
  close(): Promise<void>;
}

export interface BareProcess {
  readonly child: ChildProcess;
  output(): string;
  /** The exit code, when it has ended. */
  readonly ended: Promise<number | null>;
  /** As a terminal does: the whole group gets it. */
  kill(signal: NodeJS.Signals): void;
}

export async function startBareSystem(): Promise<BareSystem> {
  const scratch = fs.mkdtempSync(join(tmpdir(), 'k8ts-bare-'));
  const namespaces = new TestNamespaces();
  const closing: (() => void | Promise<void>)[] = [
    // Never into something that is still mounted there, such as the machine's devices.
    () => void execFileSync('rm', ['-rf', '--one-file-system', scratch]),
    () => namespaces.close(),
  ];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  try {
    const root = join(scratch, 'root');
    copySystem(root);
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${project}`, join(root, PROJECT_INSIDE)]);
    const netns = namespaces.create('bare');
    await runIn('ip', ['link', 'set', 'lo', 'up'], { netns });
    const proxy = await startHttpProxy(netns);
    closing.push(() => proxy.close());
    fs.writeFileSync(join(root, 'etc/apt/apt.conf.d/90proxy'), `Acquire::http::Proxy "${proxy.url}";\n`);
    const { pid, ended, child } = await enterNamespaces(root, netns);
    closing.push(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const environment = { ...environmentInside(root), npm_config_proxy: proxy.url, npm_config_https_proxy: proxy.url };
    return {
      root,
      close,
      start: (command, more = {}) => {
        const enter = [`--target=${pid}`, '--mount', '--pid', '--net', '--root'];
        const inProject = ['sh', '-c', 'cd "$0"; exec "$@"', PROJECT_INSIDE, ...command];
        const env = { ...environment, ...more };
        const options: SpawnOptions = { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true };
        return watch(spawn('nsenter', [...enter, ...inProject], options));
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The base system with Node and npm, as files; `root` must not exist yet. */
export function copySystem(root: string): void {
  execFileSync('cp', ['--archive', '--reflink=auto', baseSystem(), root]);
  // Other users, such as those of user namespaces, go through the root directory too.
  fs.chmodSync(root, 0o755);
  copyNode(root);
}

/** What debootstrap has made, once for all runs. */
function baseSystem(): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'k8ts', `debian-${SUITE}`);
  if (fs.existsSync(cache)) return cache;
  fs.mkdirSync(dirname(cache), { recursive: true });
  const fresh = fs.mkdtempSync(`${cache}-`);
  try {
    const options: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'], timeout: 600_000 };
    execFileSync('debootstrap', ['--variant=minbase', SUITE, fresh, MIRROR], options);
    fs.renameSync(fresh, cache);
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
  return cache;
}

/** This very Node, and npm: without their own folder of the system they find each other by the PATH. */
function copyNode(root: string): void {
  fs.cpSync(process.execPath, join(root, 'usr/local/bin/node'));
  const npm = fs.realpathSync(findProgram('npm')!);
  fs.cpSync(dirname(dirname(npm)), join(root, 'usr/local/lib/npm'), { recursive: true });
  fs.symlinkSync('../lib/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  fs.symlinkSync('../lib/npm/bin/npx-cli.js', join(root, 'usr/local/bin/npx'));
}

export function environmentInside(root: string): Record<string, string> {
  const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' };
  // A machine behind a proxy that looks into TLS has an authority of its own for that.
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (!authorities) return environment;
  fs.cpSync(fs.realpathSync(authorities), join(root, 'etc/extra-ca-certificates.crt'));
  return { ...environment, NODE_EXTRA_CA_CERTS: '/etc/extra-ca-certificates.crt' };
}

// The mounts end with the namespace, and the namespace with its process 1. A true change of root, because runc cannot
// change it again inside a chroot. Process 1 takes in the orphans of the others.
const PROCESS_1 = `
  set -e
  read pid rest < /proc/self/stat
  mount --rbind "$0" "$0"
  cd "$0"
  mount -t proc proc proc
  mount -t sysfs sysfs sys
  mount --rbind /sys/fs/cgroup sys/fs/cgroup
  mount --rbind /dev dev
  mount -t tmpfs tmpfs run
  pivot_root . .
  umount -l .
  echo "$pid"
  exec chroot . sh -c 'sleep infinity & wait'
`;

interface Entered {
  /** Of process 1, seen from outside. */
  readonly pid: number;
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

async function enterNamespaces(root: string, netns: string): Promise<Entered> {
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', PROCESS_1, root];
  const child = inNetns(netns, () => spawn('unshare', unshare, { stdio: ['ignore', 'pipe', 'inherit'] }));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [pid] = await Promise.race([
    new Promise<string[]>((resolve) => createInterface(child.stdout!).once('line', (line) => resolve([line]))),
    ended.then(() => []),
  ]);
  if (pid === undefined) throw new Error('the namespaces of the bare system could not be made');
  return { pid: Number(pid), child, ended };
}

function watch(child: ChildProcess): BareProcess {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  let running = true;
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => {
      running = false;
      resolve(code);
    }),
  );
  return {
    child,
    ended,
    output: () => output,
    kill: (signal) => {
      if (running) process.kill(-child.pid!, signal);
    },
  };
}
