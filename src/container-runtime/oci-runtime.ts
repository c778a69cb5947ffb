/** The OCI runtime binaries: runc, or another one by the name of its handler. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Context } from '../kernel/index.ts';
import { startProgram } from './linux/start-program.ts';
import type { OciResources } from './oci-spec/oci-types.ts';
import type { CgroupTree } from './stats/cgroup-tree.ts';

export interface OciRuntime {
  readonly handler: string;
  readonly path: string;
  /** Where it keeps its state. */
  readonly root: string;
  readonly globalArguments: readonly string[];
}

/** What an OCI runtime said when it failed. */
export class OciRuntimeError extends Error {
  override readonly name = 'OciRuntimeError';
  readonly code = 'oci-runtime-failed';
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one of the runtime's commands to its end. */
async function runOci(runtime: OciRuntime, parameters: readonly string[]): Promise<CommandResult> {
  const program = await startProgram(runtime.path, [...runtime.globalArguments, ...parameters], {
    environment: { PATH: process.env['PATH'] ?? '' },
    outputs: [1, 2],
  });
  const [stdout = '', stderr = ''] = await Promise.all(program.outputs.map((output) => text(output)));
  return { exitCode: await program.ended(), stdout, stderr };
}

async function mustRun(runtime: OciRuntime, parameters: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runOci(runtime, parameters);
  if (exitCode !== 0)
    throw new OciRuntimeError(`${path.basename(runtime.path)} ${parameters[0]} failed: ${ociMessage(stderr)}`);
  return stdout;
}

/** The message in a log line of a runtime, in text or JSON. */
export function ociMessage(text: string): string {
  const messages = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      if (line.startsWith('{')) {
        try {
          return String((JSON.parse(line) as { msg?: unknown }).msg ?? line);
        } catch {
          return line;
        }
      }
      const quoted = /\bmsg=("(?:[^"\\]|\\.)*"|\S+)/.exec(line)?.[1];
      if (quoted === undefined) return line;
      return quoted.startsWith('"') ? (JSON.parse(quoted) as string) : quoted;
    });
  return messages.at(-1) ?? 'it said nothing';
}

/** Frees what is left of a container: its cgroups and its state. Kills what still runs in it. */
export async function deleteOciContainer(runtime: OciRuntime, id: string): Promise<void> {
  if (!fs.existsSync(path.join(runtime.root, id))) return;
  const { exitCode, stderr } = await runOci(runtime, ['delete', '--force', id]);
  if (exitCode !== 0 && !/does not exist/.test(stderr))
    throw new OciRuntimeError(`${path.basename(runtime.path)} delete failed: ${ociMessage(stderr)}`);
}

/**
 * The same for a container that has ended and has no hooks for that. All that runc does then is to remove cgroups and its
 * own folder: doing so ourselves saves a process. What is not as simple as that is runc's to do.
 */
export async function deleteEndedOciContainer(
  runtime: OciRuntime,
  id: string,
  { cgroups, cgroup }: { cgroups: CgroupTree; cgroup: string },
): Promise<void> {
  const isRunc = path.basename(runtime.path) === 'runc' && !runtime.globalArguments.includes('--systemd-cgroup');
  if (isRunc && (await cgroups.remove(cgroup)))
    await fs.promises.rm(path.join(runtime.root, id), { recursive: true, force: true });
  else await deleteOciContainer(runtime, id);
}

export async function updateOciContainer(
  runtime: OciRuntime,
  id: string,
  resources: OciResources,
  file: string,
): Promise<void> {
  fs.writeFileSync(file, JSON.stringify(resources), { mode: 0o600 });
  try {
    await mustRun(runtime, ['update', '--resources', file, id]);
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/**
 * Makes a container that waits for its start, without anyone who holds its output: the process keeps what the runtime
 * has as stdio, so it gets none, and the runtime says in a file what is wrong.
 */
export async function createOciContainer(
  runtime: OciRuntime,
  id: string,
  { bundle, pidFile }: { bundle: string; pidFile: string },
): Promise<void> {
  const log = path.join(bundle, 'log');
  const child = spawn(
    runtime.path,
    [...runtime.globalArguments, '--log', log, 'create', '--bundle', bundle, '--pid-file', pidFile, id],
    { stdio: 'ignore' },
  );
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? -1));
  });
  if (exitCode !== 0) throw new OciRuntimeError(ociMessage(fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : ''));
}

const START_POLL_MS = 1;
const START_LIMIT_MS = 10_000;

/**
 * Lets a created container run. The process waits to open a fifo for writing, and `runc start` does nothing but read
 * it: doing so ourselves saves a process. A runtime that works differently is asked to start it.
 */
export async function startOciContainer(
  ctx: Context,
  runtime: OciRuntime,
  id: string,
  { hasHooks }: { hasHooks: boolean },
): Promise<void> {
  const fifo = path.join(runtime.root, id, 'exec.fifo');
  if (hasHooks || !fs.existsSync(fifo)) {
    await mustRun(runtime, ['start', id]);
    return;
  }
  const fd = fs.openSync(fifo, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const byte = Buffer.alloc(1);
    const until = ctx.clock.monotonic() + START_LIMIT_MS;
    while (!hasRead(fd, byte)) {
      if (ctx.clock.monotonic() > until) throw new OciRuntimeError('the container’s process does not start');
      await ctx.clock.sleep(START_POLL_MS);
    }
  } finally {
    fs.closeSync(fd);
  }
  fs.rmSync(fifo, { force: true });
}

/** Nothing can be read before the other side has opened the fifo (0 bytes) and written (EAGAIN). */
function hasRead(fd: number, buffer: Buffer): boolean {
  try {
    return fs.readSync(fd, buffer) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
    throw error;
  }
}

/** Whether a container has been made and not yet been started. */
export function awaitsStart(runtime: OciRuntime, id: string): boolean {
  return fs.existsSync(path.join(runtime.root, id, 'exec.fifo'));
}
