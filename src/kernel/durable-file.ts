/**
 * Files that survive a power loss. A file's bytes are on the disk after fsync of the file, its name only after fsync of
 * its directory; a rename without both may leave an empty file, the old one, or none.
 */
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from './make-directory.ts';

interface DurableFileOptions {
  /** Default 0600. */
  readonly mode?: number;
  /** Default: the user of this process. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/** Replaces a file atomically: after a crash it has either the old or the new content. */
export async function writeFileDurably(
  file: string,
  content: string | Uint8Array,
  options: DurableFileOptions = {},
): Promise<void> {
  const temporary = `${file}.tmp`;
  await fs.promises.rm(temporary, { force: true });
  const handle = await fs.promises.open(temporary, 'wx', options.mode ?? 0o600);
  try {
    await handle.writeFile(content);
    if (options.owner) await handle.chown(options.owner.uid, options.owner.gid);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await renameDurably(temporary, file);
}

/** Renames durably. The content of the file must have been synced before. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await fs.promises.rename(from, to);
  await syncDirectory(path.dirname(to));
}

/** Fsyncs a file that another program has written. */
export async function syncFile(file: string): Promise<void> {
  // Windows syncs only what may be written to.
  await sync(file, 'r+');
}

async function sync(file: string, flags: string): Promise<void> {
  const handle = await fs.promises.open(file, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a directory and its missing parents; returns the topmost one created. */
export function makeDirectoryDurably(directory: string, mode: number): string | undefined {
  const created = makeDirectorySync(directory, { mode });
  if (created === undefined) return undefined;
  const first = path.resolve(created);
  for (let each = path.resolve(directory); each.length >= first.length; each = path.dirname(each))
    syncDirectoryNow(path.dirname(each));
  return created;
}

/** Not every file system can sync a directory, and not every user may open one. */
const CANNOT_SYNC = new Set(['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/** Fsyncs a directory, and with it the names in it. */
export async function syncDirectory(directory: string): Promise<void> {
  await sync(directory, 'r').catch(unlessUnable);
}

function syncDirectoryNow(directory: string): void {
  try {
    const folder = fs.openSync(directory, 'r');
    try {
      fs.fsyncSync(folder);
    } finally {
      fs.closeSync(folder);
    }
  } catch (error) {
    unlessUnable(error);
  }
}

function unlessUnable(error: unknown): void {
  if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
}
