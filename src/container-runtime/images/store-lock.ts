/**
 * Locks the image store for one process, because recovery would take another process's work for leftovers of a crash.
 */
import { closeSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tryLock } from '../linux/file-system-calls.ts';
import { ImageError } from './image-error.ts';

interface HeldLock {
  readonly fd: number;
  users: number;
}

/** Locks of this process by directory, with a count: a store may be opened again before it is closed. */
const held = new Map<string, HeldLock>();

/** Returns the function that unlocks. The kernel releases the lock of a killed process. */
export function lockStore(root: string): () => void {
  const path = resolve(root);
  const lock = held.get(path) ?? { fd: openSync(join(path, 'lock'), 'w', 0o600), users: 0 };
  if (lock.users === 0 && !tryLock(lock.fd)) {
    closeSync(lock.fd);
    throw new ImageError('FAILED_PRECONDITION', `the image store ${path} is in use by another process`);
  }
  lock.users++;
  held.set(path, lock);
  let unlocked = false;
  return () => {
    if (unlocked) return;
    unlocked = true;
    if (--lock.users > 0) return;
    held.delete(path);
    closeSync(lock.fd);
  };
}
