/** `k8ts up --detach` and `k8ts join --detach`: runs the cluster in a background process and returns when it is ready. */
import { fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectoryDurably, RealClock } from '../kernel/index.ts';
import { CommandError } from './command.ts';
import { LOG_FILE_VARIABLE } from './log-rotation.ts';
import { ephemeralDirectory } from './process-file.ts';
import { printReady, secondsSinceProcessStart, type Ready } from './ready.ts';

export interface DetachOptions {
  /** Where the cluster lives; absent for one in memory. */
  readonly directory?: string;
  readonly waitMs: number;
  readonly output: string;
}

/** The process logs to `k8ts.log` in its directory. */
export async function detach(command: 'up' | 'join', argv: readonly string[], options: DetachOptions): Promise<number> {
  const directory = options.directory ?? (await ephemeralDirectory());
  makeDirectoryDurably(directory, 0o700);
  const logFile = path.join(directory, 'k8ts.log');
  const log = fs.openSync(logFile, 'a+', 0o600);
  const from = fs.fstatSync(log).size;
  const child = fork(process.argv[1]!, [command, ...argv.filter((word) => !/^--detach(?:=.*)?$/.test(word))], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: {
      ...process.env,
      [LOG_FILE_VARIABLE]: logFile,
      ...(options.directory ? {} : { K8TS_EPHEMERAL_DIRECTORY: directory }),
    },
  });
  const ready = await new Promise<Ready>((resolve, reject) => {
    let failed: string | undefined;
    child.on('message', (message: { ready?: Ready; failed?: string }) =>
      message.ready ? resolve(message.ready) : (failed = message.failed),
    );
    child.once('error', reject);
    child.once('exit', (_, signal) => {
      const reported = signal === null || signal === 'SIGABRT' ? causeIn(readFrom(log, from), command) : undefined;
      const cause = failed ?? reported ?? (signal === null ? undefined : causeOfSignal(signal, freeBytes(directory)));
      reject(new CommandError(cause ?? `the cluster ended before it was ready; see ${logFile}`));
    });
  });
  fs.closeSync(log);
  child.disconnect();
  child.unref();
  printReady(options.output, { ...ready, readySeconds: secondsSinceProcessStart(new RealClock()) });
  return 0;
}

const MIN_FREE_BYTES = 2 ** 20;

/**
 * A full disk ends the process with SIGBUS, because the store's file is memory-mapped; lack of memory ends it with
 * SIGABRT.
 */
export function causeOfSignal(signal: NodeJS.Signals, freeBytes: number): string {
  const advice =
    signal === 'SIGBUS' || freeBytes < MIN_FREE_BYTES
      ? 'the disk of the data directory may be full: make room, then start again'
      : 'if its data is damaged, or on a network file system without locks, restore a snapshot to another --data-dir';
  return `the cluster's process ended with ${signal}; ${advice}`;
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = fs.statfsSync(directory);
  return bavail * bsize;
}

/** The error in the log: the line of the command, or else an uncaught error. */
export function causeIn(log: string, command = 'up'): string | undefined {
  const prefix = `k8ts ${command}: `;
  const lines = log.split('\n');
  const reported = lines.findLast((line) => line.startsWith(prefix));
  if (reported !== undefined) return reported.slice(prefix.length);
  return lines.find((line) => /^(?:FATAL ERROR|(?:[A-Z]\w*)?Error\b.*?):/.test(line));
}

/** Reads at explicit positions: the file offset is shared with the child. */
function readFrom(file: number, position: number): string {
  const bytes = Buffer.alloc(Math.max(0, fs.fstatSync(file).size - position));
  fs.readSync(file, bytes, 0, bytes.length, position);
  return bytes.toString();
}
