/**
 * Starts conmon, one small process per container. It calls the OCI runtime to create the container, holds its stdio,
 * writes its log, and writes its exit code to a file. conmon is a daemon, so containers survive the end of this
 * process.
 *
 *   runtime ──spawn──▶ conmon ──fork──▶ conmon (daemon) ──▶ runc create
 *   ◀── {"pid": N} or {"pid": -1, "message": …} on the sync pipe (fd 3)
 */
import type { Readable } from 'node:stream';
import { startProgram } from '../linux/start-program.ts';
import { OciRuntimeError, ociMessage, type OciRuntime } from '../oci-runtime.ts';
import type { ContainerPaths } from '../state-paths.ts';

interface ConmonOptions {
  readonly conmon: string;
  readonly runtime: OciRuntime;
  readonly id: string;
  readonly name: string;
  readonly paths: ContainerPaths;
  readonly exitDirectory: string;
  /** Undefined discards the output. */
  readonly logPath: string | undefined;
  readonly terminal: boolean;
  readonly stdin: boolean;
  /** Keeps stdin open when an attached client disconnects; otherwise the first disconnect closes it (stdinOnce). */
  readonly leaveStdinOpen: boolean;
}

const SYNC_PIPE_FD = 3;

/** Creates the container through conmon; resolves with the pid of its process, which waits to be started. */
export async function createWithConmon(options: ConmonOptions): Promise<number> {
  const { outputs, ended } = await startProgram(options.conmon, conmonArguments(options), {
    outputs: [2, SYNC_PIPE_FD],
    directory: options.paths.directory,
    // conmon and runc run as root: they get only the environment that they need.
    environment: { PATH: process.env['PATH'] ?? '', _OCI_SYNCPIPE: String(SYNC_PIPE_FD) },
  });
  const [errors, sync] = outputs as [Readable, Readable];
  const stderr = collect(errors);
  try {
    return pidOf(await firstLine(sync), stderr);
  } finally {
    sync.destroy();
    errors.destroy();
    // The started process exits as soon as it has forked the daemon.
    await ended();
  }
}

function conmonArguments(options: ConmonOptions): string[] {
  const { runtime, paths } = options;
  return [
    ...['--cid', options.id, '--cuuid', options.id, '--name', options.name],
    ...['--runtime', runtime.path, ...runtime.globalArguments.flatMap((argument) => ['--runtime-arg', argument])],
    ...['--bundle', paths.directory, '--persist-dir', paths.persist, '--exit-dir', options.exitDirectory],
    ...['--conmon-pidfile', paths.conmonPid, '--container-pidfile', paths.pid],
    ...[
      '--log-path',
      options.logPath === undefined ? 'none:' : `k8s-file:${options.logPath}`,
      '--log-level',
      'error',
      '--no-sync-log',
    ],
    '--full-attach',
    ...(options.terminal ? ['--terminal'] : []),
    ...(options.stdin ? ['--stdin'] : []),
    ...(options.leaveStdinOpen ? ['--leave-stdin-open'] : []),
  ];
}

function pidOf(report: string, stderr: () => string): number {
  if (report === '') throw new OciRuntimeError(`conmon exited without a report: ${ociMessage(stderr())}`);
  const { pid, data, message = '' } = JSON.parse(report) as { pid?: number; data?: number; message?: string };
  const answer = pid ?? data ?? -1;
  if (answer > 0) return answer;
  throw new OciRuntimeError(ociMessage(message || stderr()));
}

function firstLine(stream: Readable): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    stream.once('end', () => resolve(text));
    stream.once('error', reject);
  });
}

function collect(stream: Readable): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-16_384)));
  stream.on('error', () => {});
  return () => text;
}
