/** Reads files of an image's root file system without following symbolic links out of it. */
import fs from 'node:fs';
import path from 'node:path';

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_LINKS = 40;

/** The host path of a path in the root file system; symbolic links resolve inside of it, as after chroot. */
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

/** The text of a regular file; empty if it does not exist. */
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
