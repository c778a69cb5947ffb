/** A lock between processes, which the kernel releases when its holder dies. */
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from '../../kernel/index.ts';
import { checked, libc } from './libc.ts';

const LOCK_EX = 2;
const LOCK_NB = 4;

export interface FileLock {
  release(): void;
}

/** Blocks the thread until it has the lock: hold it only briefly. */
export function lockFile(file: string): FileLock {
  const fd = open(file);
  try {
    checked(libc().flock(fd, LOCK_EX), 'flock', file);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  return { release: () => fs.closeSync(fd) };
}

/** Undefined when the lock is held, by this process or another. */
export function tryLockFile(file: string): FileLock | undefined {
  const fd = open(file);
  if (libc().flock(fd, LOCK_EX | LOCK_NB) === 0) return { release: () => fs.closeSync(fd) };
  fs.closeSync(fd);
  return undefined;
}

function open(file: string): number {
  makeDirectorySync(path.dirname(file));
  return fs.openSync(file, 'a', 0o600);
}
