/** The pid file of a cluster, `DIR/k8ts.pid`. The file of a killed process is recognized as stale. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isStillRunning, makeDirectoryDurably, processStart } from '../kernel/index.ts';
import { CommandError } from './command.ts';

export interface ProcessFile {
  readonly pid: number;
  /** The process's start time in clock ticks, because pids are reused. */
  readonly started: string;
  readonly socket: string;
  readonly ephemeral: boolean;
  /** The working directory of the command that started it, by which a cluster in memory is found. */
  readonly startedIn?: string;
}

const NAME = 'k8ts.pid';
const EPHEMERAL_PREFIX = 'k8ts-ephemeral-';
/** The longest path that a unix socket can have, with room for its end. */
const MAX_SOCKET_PATH = 100;

/** Claims the directory for this process; fails when another live process has it. */
export function claimDirectory(directory: string, ephemeral: boolean): { socket: string; release(): Promise<void> } {
  makeDirectoryDurably(directory, 0o700);
  const socket = socketPath(directory);
  claim(directory, {
    pid: process.pid,
    started: processStart(process.pid) ?? '',
    socket,
    ephemeral,
    startedIn: process.cwd(),
  });
  return {
    socket,
    async release() {
      if (!socket.startsWith(NAMED_PIPES)) fs.rmSync(socket, { force: true });
      if (readProcessFile(directory)?.pid === process.pid) fs.rmSync(path.join(directory, NAME), { force: true });
      if (ephemeral && path.basename(directory).startsWith(EPHEMERAL_PREFIX)) await removeDirectory(directory);
    },
  };
}

const CLAIM_ATTEMPTS = 10;

/** link(2) makes the file appear with its content: of several processes one wins, and none sees half a file. */
function claim(directory: string, file: ProcessFile): void {
  const place = path.join(directory, NAME);
  const own = `${place}.${process.pid}`;
  try {
    fs.writeFileSync(own, JSON.stringify(file), { mode: 0o600 });
    for (let attempt = 0; !linked(own, place); attempt++) {
      const running = readProcessFile(directory);
      if (running || attempt === CLAIM_ATTEMPTS)
        throw new CommandError(
          `a cluster is running in ${directory} (process ${running?.pid ?? 'unknown'}); stop it with "k8ts down --data-dir ${directory}", or give this one its own --data-dir`,
        );
      fs.rmSync(place, { force: true });
    }
  } finally {
    fs.rmSync(own, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Where a cluster that keeps everything in memory puts its kubeconfig and its socket. */
export async function ephemeralDirectory(): Promise<string> {
  /** Removes the directories of killed processes. */
  for (const left of ephemeralDirectories().filter(isReadable))
    if (fs.existsSync(path.join(left, NAME)) && !readProcessFile(left)) await removeDirectory(left);
  return fs.mkdtempSync(path.join(os.tmpdir(), EPHEMERAL_PREFIX));
}

/** The process that runs the directory's cluster; undefined when there is none. */
export function readProcessFile(directory: string): ProcessFile | undefined {
  let file: ProcessFile;
  try {
    file = JSON.parse(fs.readFileSync(path.join(directory, NAME), 'utf8')) as ProcessFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES')
      throw new CommandError(
        `the cluster in ${directory} belongs to another user; run this as that user (with sudo, if the cluster was started with it)`,
        { cause: error },
      );
    return undefined;
  }
  return isStillRunning(file.pid, file.started) ? file : undefined;
}

/**
 * The directory's cluster, or else, unless `exact`, the only running cluster in memory that was started from the working
 * directory: the directory's parent, as `.k8ts` is.
 */
export function findCluster(directory: string, exact: boolean): { directory: string; process: ProcessFile } {
  const own = readProcessFile(directory);
  if (own) return { directory, process: own };
  const others = (exact ? [] : ephemeralDirectories().filter(isReadable)).flatMap((candidate) => {
    const found = readProcessFile(candidate);
    return found ? [{ directory: candidate, process: found }] : [];
  });
  const here = others.filter((other) => other.process.startedIn === process.cwd());
  if (here.length === 1) return here[0]!;
  if (here.length > 1)
    throw new CommandError(
      `several clusters run in memory; choose one with --data-dir: ${here.map((other) => other.directory).join(' ')}`,
    );
  const elsewhere = others.map(
    (other) => `${other.directory} (started in ${other.process.startedIn ?? 'another directory'})`,
  );
  throw new CommandError(
    `no cluster is running in ${directory}; start one with "k8ts up", or name its directory with --data-dir${elsewhere.length > 0 ? `. In memory: ${elsewhere.join(', ')}` : ''}`,
  );
}

function ephemeralDirectories(): string[] {
  try {
    return fs
      .readdirSync(os.tmpdir())
      .filter((name) => name.startsWith(EPHEMERAL_PREFIX))
      .map((name) => path.join(os.tmpdir(), name));
  } catch {
    /** Creating a cluster there fails with a better error. */
    return [];
  }
}

/** Other users' clusters in memory are in the same folder. */
function isReadable(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.R_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Windows has named pipes instead, which are no files. */
const NAMED_PIPES = '\\\\.\\pipe\\';

function socketPath(directory: string): string {
  if (process.platform === 'win32') return `${NAMED_PIPES}${socketName(directory)}`;
  const inside = path.join(directory, 'k8ts.sock');
  if (inside.length < MAX_SOCKET_PATH) return inside;
  return path.join(os.tmpdir(), `${socketName(directory)}.sock`);
}

const socketName = (directory: string): string =>
  `k8ts-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`;

/** Loads the node code only where there is something to remove. */
async function removeDirectory(directory: string): Promise<void> {
  const { removeTree } = await import('../cluster/index.ts');
  await removeTree(directory);
}
