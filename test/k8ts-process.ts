import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PACKAGE } from '../scripts/build.mjs';
import { until } from '../src/kernel/testing/index.ts';
import { buildOnce } from './build-once.ts';
import type { TestUser } from './test-user.ts';

/** `k8ts up` as a child process, as a user starts it. */
export interface K8tsProcess {
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  readonly port: number;
  readonly kubeconfig: string;
  readonly credentials: Credentials;
  readonly pid: number;
  /** Everything that it has printed so far. */
  output(): string;
  /** undefined while it runs. */
  readonly exit: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  /** Resident memory in bytes. */
  memory(): number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface Credentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface K8tsOptions {
  /** Where it keeps its data; in memory without it. */
  readonly dataDirectory?: string;
  readonly port?: number;
  readonly flags?: readonly string[];
  readonly nodeFlags?: readonly string[];
  /** Default this process' own. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Default this process' own. */
  readonly user?: TestUser;
}

let built: Promise<string> | undefined;

/** The bundle of this working copy, which all tests of a run share. */
export async function builtProgram(): Promise<string> {
  return join(await builtPackage(), 'k8ts.js');
}

/** The folder of the bundle, with the library beside the program. */
export function builtPackage(): Promise<string> {
  return (built ??= buildOnce('package', PACKAGE));
}

/** Copies it, without what the program's starts have compiled. */
export async function copyPackage(directory: string): Promise<void> {
  const from = await builtPackage();
  cpSync(from, directory, { recursive: true, filter: (file) => !/\.cache(?:\.\d+)?$/.test(file) });
}

const START_LIMIT_MS = 60_000;

export async function startK8ts(options: K8tsOptions = {}): Promise<K8tsProcess> {
  const scratch = mkdtempSync(join(tmpdir(), 'k8ts-up-'));
  const { user } = options;
  if (user) chownSync(scratch, user.uid, user.gid);
  const kubeconfig = join(scratch, 'kubeconfig');
  const storage = options.dataDirectory ? ['--data-dir', options.dataDirectory] : ['--ephemeral'];
  /** A bare control plane, unless the test asks for more. */
  const bare = options.flags?.some((flag) => /^--(simulated-)?nodes\b/.test(flag))
    ? []
    : ['--nodes', '0', '--addons', 'none'];
  const args = [
    'up',
    ...storage,
    ...bare,
    '--port',
    String(options.port ?? 0),
    '--kubeconfig',
    kubeconfig,
    ...(options.flags ?? []),
  ];
  const child = spawn(process.execPath, [...(options.nodeFlags ?? []), await builtProgram(), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: options.environment ?? user?.environment ?? process.env,
    ...(user ? { uid: user.uid, gid: user.gid, cwd: user.home } : {}),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-1_000_000)));
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));
  try {
    await untilReady(child, () => output);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  const server = /https:\/\/\S+/.exec(output)![0];
  return {
    server,
    port: Number(new URL(server).port),
    kubeconfig,
    credentials: readCredentials(kubeconfig),
    pid: child.pid!,
    output: () => output,
    get exit() {
      return child.exitCode === null && child.signalCode === null
        ? undefined
        : { code: child.exitCode, signal: child.signalCode };
    },
    memory: () => residentBytes(child.pid!),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'exit');
      }
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

async function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  const isReady = (): boolean => {
    if (output().includes('ready in')) return true;
    if (child.exitCode === null && child.signalCode === null) return false;
    throw new Error(`k8ts ended before it was ready:\n${output()}`);
  };
  await until('k8ts is ready', isReady, { limitMs: START_LIMIT_MS, intervalMs: 10, details: output });
}

interface KubeconfigFile {
  clusters: { cluster: { 'certificate-authority-data': string } }[];
  users: { user: { 'client-certificate-data': string; 'client-key-data': string } }[];
}

function readCredentials(file: string): Credentials {
  const config = parse(readFileSync(file, 'utf8')) as KubeconfigFile;
  const text = (data: string): string => Buffer.from(data, 'base64').toString();
  const { user } = config.users[0]!;
  return {
    ca: text(config.clusters[0]!.cluster['certificate-authority-data']),
    cert: text(user['client-certificate-data']),
    key: text(user['client-key-data']),
  };
}

/** 0 where the system does not tell. */
export function residentBytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return 0;
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) * 1024;
}
