/** Programs that run inside a network namespace: nft, tc, CNI plugins. */
import { spawn, type SpawnOptionsWithoutStdio } from 'node:child_process';
import { inNetns } from './namespace.ts';

interface RunOptions {
  /** The pinned namespace; undefined is the process's own. */
  readonly netns?: string | undefined;
  readonly input?: string | Buffer;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Ends the program with SIGKILL. */
  readonly signal?: AbortSignal;
}

interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program failed. The message has its stderr, or else its stdout. */
export class CommandFailed extends Error {
  readonly code = 'command-failed';

  constructor(
    readonly command: string,
    readonly result: RunResult,
  ) {
    const output = result.stderr.trim() || result.stdout.trim() || 'no output';
    super(`${command} failed (exit code ${result.exitCode}): ${output}`);
    this.name = 'CommandFailed';
  }
}

/** A program is not installed. */
export class ToolMissing extends Error {
  readonly code = 'tool-missing';

  constructor(readonly tool: string) {
    const debianPackage = DEBIAN_PACKAGES.get(tool);
    super(
      `the program "${tool}" is not installed${debianPackage === undefined ? '' : ` (Debian package ${debianPackage})`}`,
    );
    this.name = 'ToolMissing';
  }
}

/** The Debian package of each program. */
const DEBIAN_PACKAGES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    nft: 'nftables',
    iptables: 'iptables',
    'iptables-restore': 'iptables',
    'iptables-save': 'iptables',
    'ip6tables-restore': 'iptables',
    ip: 'iproute2',
    tc: 'iproute2',
    conntrack: 'conntrack',
  }),
);

/** Runs a program and returns its stdout; rejects with CommandFailed unless its exit code is 0. */
export async function runIn(command: string, parameters: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await spawnIn(command, parameters, options);
  if (result.exitCode !== 0) throw new CommandFailed([command, ...parameters].join(' '), result);
  return result.stdout;
}

/** Runs a program and returns its result; rejects only if it cannot be started. */
export function spawnIn(command: string, parameters: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { netns, input, env, cwd, signal } = options;
  return new Promise((resolve, reject) => {
    const spawnOptions: SpawnOptionsWithoutStdio = {
      ...(env === undefined ? {} : { env }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(signal === undefined ? {} : { signal, killSignal: 'SIGKILL' as const }),
    };
    // The child is forked from this thread while it is in the namespace, and stays there.
    const child = inNetns(netns, () => spawn(command, parameters, spawnOptions));
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new ToolMissing(command) : error),
    );
    child.once('close', (code, killedBy) => {
      const output = Buffer.concat(stderr).toString();
      resolve({
        exitCode: code ?? -1,
        stdout: Buffer.concat(stdout).toString(),
        stderr: killedBy === null ? output : `${output}\nended by ${killedBy}`.trim(),
      });
    });
    // A program may end before it has read all its input; its exit code tells whether that is an error.
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
  });
}
