/** Runs OCI runtime binaries: runc, or another one by runtime handler. */
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
  /** The runtime's state directory (`--root`). */
  readonly root: string;
  readonly globalArguments: readonly string[];
}

/** An OCI runtime command failed; the message is the runtime's. */
export class OciRuntimeError extends Error {
  override readonly name = 'OciRuntimeError';
  readonly code = 'oci-runtime-failed';
}

interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the runtime and waits for its exit. */
async function runOci(runtime: OciRuntime, args: readonly string[]): Promise<CommandResult> {
  const program = await startProgram(runtime.path, [...runtime.globalArguments, ...args], {
    environment: { PATH: process.env['PATH'] ?? '' },
    outputs: [1, 2],
  });
  const [stdout = '', stderr = ''] = await Promise.all(program.outputs.map((output) => text(output)));
  return { exitCode: await program.ended(), stdout, stderr };
}

async function runOrThrow(runtime: OciRuntime, args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runOci(runtime, args);
  if (exitCode !== 0)
    throw new OciRuntimeError(`${path.basename(runtime.path)} ${args[0]} failed: ${ociMessage(stderr)}`);
  return stdout;
}

/** The message of a runtime's last log line, in text or JSON format. */
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
  return messages.at(-1) ?? 'no error message';
}

/** Deletes a container's cgroups and runtime state, and kills its processes. */
export async function deleteOciContainer(runtime: OciRuntime, id: string): Promise<void> {
  if (!fs.existsSync(path.join(runtime.root, id))) return;
  const { exitCode, stderr } = await runOci(runtime, ['delete', '--force', id]);
  if (exitCode !== 0 && !/does not exist/.test(stderr))
    throw new OciRuntimeError(`${path.basename(runtime.path)} delete failed: ${ociMessage(stderr)}`);
}

/**
 * Deletes an exited container without poststop hooks. `runc delete` would only remove the cgroups and its state
 * directory, so this does it without starting a process, and falls back to the runtime for everything else.
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
    await runOrThrow(runtime, ['update', '--resources', file, id]);
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/**
 * Creates a container without conmon. Its process inherits the runtime's stdio, so the runtime gets none and logs
 * errors to a file.
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
const START_TIMEOUT_MS = 10_000;

/**
 * Starts a created container. Its process blocks on opening runc's exec fifo, and `runc start` only reads that fifo;
 * reading it here saves a process. Containers with hooks, and runtimes without the fifo, get the `start` command.
 */
export async function startOciContainer(
  ctx: Context,
  runtime: OciRuntime,
  id: string,
  { hasHooks }: { hasHooks: boolean },
): Promise<void> {
  const fifo = path.join(runtime.root, id, 'exec.fifo');
  if (hasHooks || !fs.existsSync(fifo)) {
    await runOrThrow(runtime, ['start', id]);
    return;
  }
  const fd = fs.openSync(fifo, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const byte = Buffer.alloc(1);
    const until = ctx.clock.monotonic() + START_TIMEOUT_MS;
    while (!hasRead(fd, byte)) {
      if (ctx.clock.monotonic() > until)
        throw new OciRuntimeError("timed out waiting for the container's process to start");
      await ctx.clock.sleep(START_POLL_MS);
    }
  } finally {
    fs.closeSync(fd);
  }
  fs.rmSync(fifo, { force: true });
}

/** A read returns 0 bytes until the writer has opened the fifo, and EAGAIN until it has written. */
function hasRead(fd: number, buffer: Buffer): boolean {
  try {
    return fs.readSync(fd, buffer) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
    throw error;
  }
}

/** Whether a container is created but not started. */
export function awaitsStart(runtime: OciRuntime, id: string): boolean {
  return fs.existsSync(path.join(runtime.root, id, 'exec.fifo'));
}
