/**
 * ExecSync: runs a command in a container and returns its output and exit code. Exec probes and lifecycle hooks use
 * it.
 */
import { CriError, type ExecSyncRequest, type ExecSyncResponse } from '../../cri/index.ts';
import { ociMessage } from '../oci-runtime.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { startExec } from './exec-process.ts';

/** The limit of each stream's output, so that a command that writes without end does not fill the memory. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024 - 64 * 1024;

/** How long background processes of the command may keep its output open after it has exited. */
const DRAIN_MS = 2000;

export async function execSync(
  parts: RuntimeParts,
  { containerId = '', cmd = [], timeout = 0 }: ExecSyncRequest,
  signal?: AbortSignal,
): Promise<ExecSyncResponse> {
  const process = startExec(parts, { containerId, command: cmd, terminal: false }, ['ignore', 'pipe', 'pipe']);
  const { child } = process;
  const stdout = collected(child.stdout);
  const stderr = collected(child.stderr);
  let timedOut = false;
  const timer =
    timeout > 0 ? parts.ctx.clock.after(timeout * 1000, () => ((timedOut = true), process.kill())) : undefined;
  const cancelled = (): void => process.kill();
  if (signal?.aborted) cancelled();
  else signal?.addEventListener('abort', cancelled, { once: true });
  try {
    const exitCode = await ended(parts, child);
    if (timedOut)
      throw new CriError(
        'DEADLINE_EXCEEDED',
        `failed to exec in container: timeout ${timeout}s exceeded: context deadline exceeded`,
      );
    if (!process.hasStarted())
      throw new CriError('UNKNOWN', `failed to exec in container: ${ociMessage(stderr().toString())}`);
    return { stdout: stdout(), stderr: stderr(), exitCode };
  } finally {
    timer?.cancel();
    signal?.removeEventListener('abort', cancelled);
    process.dispose();
  }
}

function ended(parts: RuntimeParts, child: ReturnType<typeof startExec>['child']): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, killedBy) => {
      const exitCode = code ?? (killedBy === null ? 255 : 137);
      const timer = parts.ctx.clock.after(DRAIN_MS, () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve(exitCode);
      });
      child.once('close', () => {
        timer.cancel();
        resolve(exitCode);
      });
    });
  });
}

function collected(stream: NodeJS.ReadableStream | null): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (size >= MAX_OUTPUT_BYTES) return;
    const piece = chunk.subarray(0, MAX_OUTPUT_BYTES - size);
    chunks.push(piece);
    size += piece.length;
  });
  return () => Buffer.concat(chunks);
}
