/** The disk usage of a directory tree; does not follow links or leave the file system. */
import fs from 'node:fs/promises';
import path from 'node:path';

interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

const BATCH = 256;

export async function diskUsage(directory: string): Promise<DiskUsage> {
  const root = await fs.lstat(directory).catch(() => undefined);
  if (root === undefined) return { bytes: 0, inodes: 0 };
  return measure(directory, root.dev, new Set());
}

async function measure(target: string, device: number, seen: Set<number>): Promise<DiskUsage> {
  const stat = await fs.lstat(target).catch(() => undefined);
  if (stat === undefined || stat.dev !== device || seen.has(stat.ino)) return { bytes: 0, inodes: 0 };
  // A file with several hard links counts once.
  if (stat.nlink > 1 && !stat.isDirectory()) seen.add(stat.ino);
  let bytes = stat.blocks * 512;
  let inodes = 1;
  if (stat.isDirectory()) {
    try {
      // A directory may have millions of entries: read them in batches.
      for await (const { name } of await fs.opendir(target, { bufferSize: BATCH })) {
        const below = await measure(path.join(target, name), device, seen);
        bytes += below.bytes;
        inodes += below.inodes;
      }
    } catch {
      // Removed meanwhile: what was measured so far counts.
    }
  }
  return { bytes, inodes };
}
