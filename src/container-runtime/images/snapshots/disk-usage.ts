/** What a folder takes on disk. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskUsage } from '../image-store.ts';

/** Hard links count once. What disappears while it is counted does not count. */
export async function diskUsage(root: string): Promise<DiskUsage> {
  const seen = new Set<string>();
  let bytes = 0;
  const count = async (path: string): Promise<boolean> => {
    try {
      const { blocks, nlink, dev, ino } = await lstat(path);
      const key = nlink > 1 ? `${dev}:${ino}` : path;
      if (seen.has(key)) return true;
      seen.add(key);
      bytes += blocks * 512;
      return true;
    } catch {
      return false;
    }
  };
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (!(await count(folder))) continue;
    try {
      for (const item of await readdir(folder, { withFileTypes: true })) {
        const path = join(folder, item.name);
        if (item.isDirectory()) pending.push(path);
        else await count(path);
      }
    } catch {
      continue;
    }
  }
  return { bytes, inodes: seen.size };
}
