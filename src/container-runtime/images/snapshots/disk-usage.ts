/** What a folder takes on disk. */
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskUsage } from '../image-store.ts';

/** Entries that are read at once: a folder may hold millions, and only so many are in memory. */
const BATCH = 256;

/** Hard links count once. What disappears while it is counted does not count. */
export async function diskUsage(root: string): Promise<DiskUsage> {
  const linked = new Set<string>();
  let bytes = 0;
  let inodes = 0;
  const count = async (path: string): Promise<boolean> => {
    try {
      const { blocks, nlink, dev, ino, mode } = await lstat(path);
      if (nlink > 1 && !isFolder(mode)) {
        const key = `${dev}:${ino}`;
        if (linked.has(key)) return true;
        linked.add(key);
      }
      bytes += blocks * 512;
      inodes++;
      return true;
    } catch {
      return false;
    }
  };
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (!(await count(folder))) continue;
    try {
      for await (const item of await opendir(folder, { bufferSize: BATCH })) {
        const path = join(folder, item.name);
        if (item.isDirectory()) pending.push(path);
        else await count(path);
      }
    } catch {
      continue;
    }
  }
  return { bytes, inodes };
}

/** A folder's links are those of the folders in it. */
const isFolder = (mode: number): boolean => (mode & 0o170000) === 0o040000;
