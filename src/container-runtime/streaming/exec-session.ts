/** Exec: runs a command in a container with its stdio connected to a client. */
import type { ChildProcess } from 'node:child_process';
import { finished } from 'node:stream/promises';
import { errorMessage } from '../../base/index.ts';
import type { ExecRequest } from '../../cri/index.ts';
import { startExec, type ExecProcess } from '../containers/exec-process.ts';
import { ociMessage } from '../oci-runtime.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import type { Outcome, RemoteCommand, TerminalSize } from './remote-command.ts';
import { StartGate } from './start-gate.ts';
import { newlines, Terminal } from './terminal.ts';

/** How long background processes of the command may keep its output open after it has exited. */
const DRAIN_MS = 2000;

/** How long to wait for the client's first terminal size, so that the command starts with the right one. */
const FIRST_SIZE_MS = 100;

export async function execSession(parts: RuntimeParts, request: ExecRequest, remote: RemoteCommand): Promise<void> {
  let outcome: Outcome;
  try {
    outcome = await (request.tty ? execInTerminal(parts, request, remote) : execWithPipes(parts, request, remote));
  } catch (error) {
    outcome = { type: 'failure', message: `error executing command in container: ${errorMessage(error)}` };
  }
  await remote.finish(outcome);
}

async function execWithPipes(
  parts: RuntimeParts,
  { containerId = '', cmd = [] }: ExecRequest,
  remote: RemoteCommand,
): Promise<Outcome> {
  const process = startExec(parts, { containerId, command: cmd, terminal: false }, [
    remote.stdin ? 'pipe' : 'ignore',
    'pipe',
    'pipe',
  ]);
  const { child } = process;
  try {
    const errors = new StartGate(process, parts.ctx.clock);
    child.stdin?.on('error', () => {});
    if (remote.stdin && child.stdin) remote.stdin.pipe(child.stdin);
    connect(child.stdout, remote.stdout);
    if (child.stderr) connect(child.stderr.pipe(errors), remote.stderr);
    // Discards the output of a disconnected client, so that the command does not block.
    remote.disconnected.addEventListener('abort', () => {
      child.stdout?.unpipe().resume();
      errors.unpipe().resume();
    });
    parts.ctx.signal.addEventListener('abort', process.kill, { once: true });
    const exitCode = await exitOf(parts, child);
    if (child.stderr?.readableEnded) await finished(errors).catch(() => {});
    return outcomeOf(process, { command: cmd, exitCode, runtimeOutput: errors.runtimeOutput });
  } finally {
    parts.ctx.signal.removeEventListener('abort', process.kill);
    process.dispose();
  }
}

async function execInTerminal(
  parts: RuntimeParts,
  { containerId = '', cmd = [] }: ExecRequest,
  remote: RemoteCommand,
): Promise<Outcome> {
  const size = await firstSize(parts, remote);
  const terminal = new Terminal();
  if (size) terminal.resize(size);
  let process: ExecProcess;
  try {
    process = startExec(parts, { containerId, command: cmd, terminal: true, ...(size && { size }) }, [
      terminal.slave,
      terminal.slave,
      terminal.slave,
    ]);
  } catch (error) {
    terminal.stream.destroy();
    throw error;
  } finally {
    terminal.releaseSlave();
  }
  const { child } = process;
  remote.onResize((size) => {
    terminal.resize(size);
    child.kill('SIGWINCH');
  });
  // When the client disconnects, the terminal hangs up.
  const hangUp = (): void => void child.kill('SIGKILL');
  remote.disconnected.addEventListener('abort', hangUp, { once: true });
  const shown = new StartGate(process, parts.ctx.clock);
  if (remote.stdin) remote.stdin.pipe(terminal.stream, { end: false });
  const output = terminal.stream.pipe(shown).pipe(newlines());
  connect(output, remote.stdout);
  terminal.stream.once('close', () => shown.end());
  try {
    const exitCode = await exitOf(parts, child);
    await Promise.race([finished(output).catch(() => {}), parts.ctx.clock.sleep(DRAIN_MS)]);
    return outcomeOf(process, { command: cmd, exitCode, runtimeOutput: shown.runtimeOutput });
  } finally {
    remote.disconnected.removeEventListener('abort', hangUp);
    terminal.stream.destroy();
    process.dispose();
  }
}

/** Undefined if the client sends none in time. */
function firstSize({ ctx }: RuntimeParts, remote: RemoteCommand): Promise<TerminalSize | undefined> {
  return new Promise((resolve) => {
    const timer = ctx.clock.after(FIRST_SIZE_MS, () => resolve(undefined));
    remote.onResize((size) => {
      timer.cancel();
      resolve(size);
    });
  });
}

function connect(from: NodeJS.ReadableStream | null, to: RemoteCommand['stdout']): void {
  if (to && from) from.pipe(to, { end: false });
  else from?.resume();
}

/** Resolves to the exit code after all output has been read. */
function exitOf(parts: RuntimeParts, child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, killedBy) => {
      const exitCode = code ?? (killedBy === null ? 255 : 137);
      const drained = parts.ctx.clock.after(DRAIN_MS, () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve(exitCode);
      });
      child.once('close', () => {
        drained.cancel();
        resolve(exitCode);
      });
    });
  });
}

function outcomeOf(
  process: ExecProcess,
  { command, exitCode, runtimeOutput }: { command: readonly string[]; exitCode: number; runtimeOutput: string },
): Outcome {
  if (!process.hasStarted())
    return {
      type: 'failure',
      message: `error executing command in container: failed to exec in container: ${ociMessage(runtimeOutput)}`,
    };
  if (exitCode === 0) return { type: 'success' };
  return { type: 'exit', exitCode, message: `error executing command [${command.join(' ')}], exit code ${exitCode}` };
}
