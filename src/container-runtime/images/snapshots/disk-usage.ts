/** Measures the disk usage of a directory tree. */
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskUsage } from '../image-store.ts';

/** Directory entries read at a time, because a directory may have millions. */
const BATCH = 256;

/** Counts hard links once and skips files that disappear meanwhile. */
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

/** A directory's link count is the number of its subdirectories, not of hard links. */
const isFolder = (mode: number): boolean => (mode & 0o170000) === 0o040000;
