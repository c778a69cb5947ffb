/** Files of an image's root file system, read without ever following a link out of it. */
import fs from 'node:fs';
import path from 'node:path';

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_LINKS = 40;

/** The path on this machine of a path in the root file system; links are followed as a process inside would. */
export function resolveInRoot(root: string, wanted: string): string {
  let pending = wanted.split('/');
  let resolved: string[] = [];
  let links = 0;
  while (pending.length > 0) {
    const part = pending.shift()!;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      resolved.pop();
      continue;
    }
    const target = linkTarget(path.join(root, ...resolved, part));
    if (target === undefined) {
      resolved.push(part);
      continue;
    }
    if (++links > MAX_LINKS) throw new Error(`too many symbolic links on the way to ${wanted}`);
    if (target.startsWith('/')) resolved = [];
    pending = [...target.split('/'), ...pending];
  }
  return path.join(root, ...resolved);
}

function linkTarget(file: string): string | undefined {
  try {
    return fs.readlinkSync(file);
  } catch {
    return undefined;
  }
}

/** The text of a regular file of an image; empty when there is none. */
export function readRootfsFile(root: string, wanted: string): string {
  let fd: number;
  try {
    fd = fs.openSync(
      resolveInRoot(root, wanted),
      fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK,
    );
  } catch {
    return '';
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) return '';
    if (stat.size > MAX_FILE_BYTES) throw new Error(`${wanted} of the image is larger than ${MAX_FILE_BYTES} bytes`);
    return fs.readFileSync(fd, 'utf8');
  } finally {
    fs.closeSync(fd);
  }
}
