/**
 * subPath mounts, safe against containers that can write to the volume and swap in symbolic links. The path is opened
 * segment by segment from the volume's root, without following links out of it; the opened file is then bind-mounted to
 * a directory that only the node can write to. Later changes in the volume do not affect the mount.
 */
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '../../kernel/index.ts';
import { MS_BIND, MS_REC, type Mounter } from './mounter.ts';
import { VolumeError } from './volume.ts';

const O_PATH = 0o10000000;
const { O_NOFOLLOW, O_DIRECTORY } = constants;

interface SubPathRequest {
  readonly volumePath: string;
  readonly subPath: string;
  /** Where the subPath is mounted: `ROOT/pods/UID/volume-subpaths/VOLUME/CONTAINER/INDEX`. */
  readonly target: string;
  readonly mounter: Mounter;
}

export async function bindSubPath({ volumePath, subPath, target, mounter }: SubPathRequest): Promise<string> {
  checkSubPath(subPath);
  if (await mounter.isMountPoint(target)) return target;
  const root = await fs.realpath(volumePath);
  const resolved = await resolveInside(root, subPath);
  const handle = await openInside(root, resolved);
  try {
    const stat = await fs.stat(`/proc/self/fd/${handle.fd}`);
    await makeDirectory(path.dirname(target), { mode: 0o750 });
    if (stat.isDirectory()) await makeDirectory(target, { mode: 0o750 });
    else await (await fs.open(target, 'a', 0o640)).close();
    await mounter.mount({ source: `/proc/${process.pid}/fd/${handle.fd}`, target, type: '', flags: MS_BIND | MS_REC });
    return target;
  } finally {
    await handle.close();
  }
}

function checkSubPath(subPath: string): void {
  if (path.isAbsolute(subPath)) throw new VolumeError(`subPath should not be absolute: ${subPath}`);
  if (subPath.split('/').includes('..')) throw new VolumeError(`subPath must not contain '..': ${subPath}`);
}

/** Links are followed only if they lead to a place inside the volume. */
async function resolveInside(root: string, subPath: string): Promise<string> {
  const wanted = path.join(root, subPath);
  const existing = await fs.realpath(wanted).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await makeInside(root, subPath);
    return fs.realpath(wanted);
  });
  if (existing !== root && !existing.startsWith(`${root}/`))
    throw new VolumeError(`subpath ${JSON.stringify(wanted)} not within volume path ${JSON.stringify(root)}`);
  return existing;
}

/** Creates missing directories without following links. */
async function makeInside(root: string, subPath: string): Promise<void> {
  const { mode } = await fs.stat(root);
  let handle = await fs.open(root, O_PATH | O_DIRECTORY);
  try {
    for (const name of subPath.split('/').filter((part) => part !== '' && part !== '.')) {
      const child = `/proc/self/fd/${handle.fd}/${name}`;
      const made = await fs.mkdir(child, 0o777).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
          return false;
        },
      );
      const next = await openStep(handle.fd, name, O_DIRECTORY).catch((error: NodeJS.ErrnoException) => {
        throw new VolumeError(
          `cannot create directory ${path.join(root, subPath)}: ${error.code === 'ENOTDIR' || error.code === 'ELOOP' ? 'a symbolic link is in the way' : error.message}`,
        );
      });
      if (made) await fs.chmod(`/proc/self/fd/${next.fd}`, mode & 0o7777);
      await handle.close();
      handle = next;
    }
  } finally {
    await handle.close();
  }
}

async function openInside(root: string, resolved: string): Promise<fs.FileHandle> {
  let handle = await fs.open(root, O_PATH | O_DIRECTORY);
  const names = path
    .relative(root, resolved)
    .split('/')
    .filter((part) => part !== '');
  for (const name of names) {
    let next: fs.FileHandle;
    try {
      next = await openStep(handle.fd, name, 0);
    } finally {
      await handle.close();
    }
    handle = next;
    // O_PATH with O_NOFOLLOW opens the link itself instead of failing.
    if ((await handle.stat()).isSymbolicLink()) {
      await handle.close();
      throw new VolumeError(`unexpected symlink found ${resolved}`);
    }
  }
  return handle;
}

const openStep = (directory: number, name: string, flags: number): Promise<fs.FileHandle> =>
  fs.open(`/proc/self/fd/${directory}/${name}`, O_PATH | O_NOFOLLOW | flags);
