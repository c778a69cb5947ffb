/** A lock between processes that the kernel lets go of when its holder dies. */
import fs from 'node:fs';
import path from 'node:path';
import { checked, libc } from './libc.ts';

const LOCK_EX = 2;

export interface FileLock {
  release(): void;
}

/** Waits for the lock without letting anything else of this thread run: hold it for moments only. */
export function lockFile(file: string): FileLock {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const fd = fs.openSync(file, 'a', 0o600);
  try {
    checked(libc().flock(fd, LOCK_EX), 'flock', file);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  return { release: () => fs.closeSync(fd) };
}
