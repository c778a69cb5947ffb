import { lstat, readlink } from 'node:fs/promises';
import { ImageError } from '../image-error.ts';

const MAX_LINKS = 40;

/**
 * Resolves a path inside of `root`, as after chroot: symbolic links never lead out of it. Only for trees that no
 * process changes meanwhile.
 */
export async function resolveInside(root: string, path: string): Promise<string> {
  const pending = path.split('/').reverse();
  const at: string[] = [];
  let links = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at.pop();
      continue;
    }
    const current = [root, ...at, part].join('/');
    const stats = await lstat(current).catch(() => undefined);
    if (stats === undefined) throw new ImageError('NOT_FOUND', `the image has no path ${path}`);
    if (!stats.isSymbolicLink()) {
      at.push(part);
      continue;
    }
    if (++links > MAX_LINKS)
      throw new ImageError('INVALID_ARGUMENT', `the image has too many symbolic links on the way to ${path}`);
    const target = await readlink(current);
    if (target.startsWith('/')) at.length = 0;
    pending.push(...target.split('/').reverse());
  }
  return [root, ...at].join('/');
}
