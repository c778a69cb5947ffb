/** `k8ts up --detach`: the cluster in a process of its own, which this one leaves when the cluster is ready. */
import { fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { CommandError } from './command.ts';
import { ephemeralDirectory } from './process-file.ts';
import { printReady, type Ready } from './ready.ts';

export interface DetachOptions {
  /** Where the cluster lives; absent for one in memory. */
  readonly directory?: string;
  readonly waitMs: number;
  readonly output: string;
}

/** What it prints goes to `k8ts.log` in its directory. */
export async function detach(argv: readonly string[], options: DetachOptions): Promise<number> {
  const directory = options.directory ?? ephemeralDirectory();
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const logFile = path.join(directory, 'k8ts.log');
  const log = fs.openSync(logFile, 'a+', 0o600);
  const from = fs.fstatSync(log).size;
  const child = fork(process.argv[1]!, ['up', ...argv.filter((word) => !/^--detach(?:=.*)?$/.test(word))], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: { ...process.env, ...(options.directory ? {} : { K8TS_EPHEMERAL_DIRECTORY: directory }) },
  });
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.once('message', (message: { ready: Ready }) => resolve(message.ready));
    child.once('error', reject);
    child.once('exit', (_, signal) => {
      const said = signal === null ? readFrom(log, from).trim() : `the cluster's process ended with ${signal}; if its data is damaged, restore a snapshot to another --data-dir`;
      reject(new CommandError(said.split('\n').at(-1)?.replace(/^k8ts up: /, '') || `the cluster ended before it was ready; see ${logFile}`));
    });
  });
  fs.closeSync(log);
  child.disconnect();
  child.unref();
  printReady(options.output, ready);
  return 0;
}

/** The position of the file is the child's. */
function readFrom(file: number, position: number): string {
  const bytes = Buffer.alloc(Math.max(0, fs.fstatSync(file).size - position));
  fs.readSync(file, bytes, 0, bytes.length, position);
  return bytes.toString();
}
