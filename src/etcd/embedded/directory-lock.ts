import { linkSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isStillRunning, makeDirectoryDurably, processStart } from '../../kernel/index.ts';
import { StoreError } from '../store.ts';

const openDirectories = new Set<string>();

/**
 * Only one process may have a store open, because it decides transactions in memory. The lock file names the holder by
 * process id and start time, so the file of a killed process is recognized as stale.
 */
export function lockDirectory(directory: string): () => void {
  makeDirectoryDurably(directory, 0o700);
  const real = realpathSync(directory);
  const path = join(real, 'LOCK');
  if (openDirectories.has(real)) throw inUse(directory, process.pid);
  // link(2) makes the lock appear with its content: no process sees a lock without a holder.
  const own = `${path}.${process.pid}`;
  writeFileSync(own, `${process.pid} ${processStart(process.pid) ?? ''}`, { mode: 0o600 });
  try {
    for (let attempt = 0; !linked(own, path); attempt++) {
      const [pid, started] = holder(path);
      const stale = pid === undefined || pid === process.pid || !isStillRunning(pid, started ?? '');
      if (!stale || attempt > 10) throw inUse(directory, pid ?? 0);
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
  openDirectories.add(real);
  return () => {
    if (openDirectories.delete(real)) rmSync(path, { force: true });
  };
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function inUse(directory: string, pid: number): StoreError {
  return new StoreError('unavailable', `the store in ${directory} is in use by process ${pid}`);
}

function holder(path: string): [pid: number | undefined, started: string | undefined] {
  try {
    const [pid, started] = readFileSync(path, 'latin1').split(' ');
    return [pid ? Number(pid) : undefined, started];
  } catch {
    return [undefined, undefined];
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
