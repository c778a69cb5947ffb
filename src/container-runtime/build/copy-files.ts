/** COPY and ADD: writes files into a root file system that no process changes meanwhile. */
import fs from 'node:fs';
import path from 'node:path';
import type { Source, SourceFile } from './build-context.ts';

export interface CopyOptions {
  readonly uid: number;
  readonly gid: number;
  /** Permission bits for all files; default: those that they have. */
  readonly mode?: number;
}

/**
 * Files of a directory go into the target; a file becomes the target, or goes into it when the target ends with a slash
 * or is a directory.
 */
export function copySources(rootfs: string, sources: readonly Source[], target: string, options: CopyOptions): void {
  const intoDirectory = target.endsWith('/') || sources.length > 1 || isDirectoryInside(rootfs, target);
  for (const source of sources) {
    const base = source.isDirectory || !intoDirectory ? target : path.posix.join(target, source.name);
    for (const file of source.files) copyFile(rootfs, file, path.posix.join(base, file.name), options);
  }
}

function copyFile(rootfs: string, file: SourceFile, target: string, options: CopyOptions): void {
  const place = placeInside(rootfs, target, options);
  const { stats } = file;
  const existing = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stats.isDirectory()) {
    if (existing?.isDirectory()) return;
    if (existing) fs.rmSync(place);
    fs.mkdirSync(place);
  } else {
    if (existing?.isDirectory()) throw new Error(`${target} is a directory, and ${file.name || file.path} is not`);
    if (existing) fs.rmSync(place);
    if (stats.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(file.path), place);
    else if (stats.isFile()) fs.copyFileSync(file.path, place, fs.constants.COPYFILE_EXCL);
    else throw new Error(`${file.path} is neither a file nor a directory nor a link`);
  }
  fs.lchownSync(place, options.uid, options.gid);
  if (stats.isSymbolicLink()) return;
  fs.chmodSync(place, options.mode ?? stats.mode & 0o7777);
  fs.utimesSync(place, stats.atimeMs / 1000, stats.mtimeMs / 1000);
}

/** Creates a directory with its parents, as WORKDIR does. */
export function makeDirectoryInside(rootfs: string, target: string, owner: CopyOptions): void {
  placeInside(rootfs, `${target}/.`, owner);
}

function isDirectoryInside(rootfs: string, target: string): boolean {
  try {
    return fs.statSync(resolvePath(rootfs, target)).isDirectory();
  } catch {
    return false;
  }
}

const MAX_LINKS = 40;

/** Where a path of the root file system is on the machine; links never lead out of it, and missing parents are created. */
function placeInside(rootfs: string, target: string, owner: CopyOptions): string {
  const parent = resolvePath(rootfs, path.posix.dirname(target), (missing) => {
    fs.mkdirSync(missing, { mode: 0o755 });
    fs.lchownSync(missing, owner.uid, owner.gid);
  });
  const name = path.posix.basename(target);
  return name === '' || name === '.' ? parent : path.join(parent, name);
}

function resolvePath(rootfs: string, target: string, create?: (missing: string) => void): string {
  const pending = target.split('/').reverse();
  const at: string[] = [];
  let links = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at.pop();
      continue;
    }
    const current = path.join(rootfs, ...at, part);
    let stats = fs.lstatSync(current, { throwIfNoEntry: false });
    if (!stats && create) {
      create(current);
      stats = fs.lstatSync(current);
    }
    if (!stats?.isSymbolicLink()) {
      at.push(part);
      continue;
    }
    if (++links > MAX_LINKS) throw new Error(`there are too many symbolic links on the way to ${target}`);
    const to = fs.readlinkSync(current);
    if (to.startsWith('/')) at.length = 0;
    pending.push(...to.split('/').reverse());
  }
  return path.join(rootfs, ...at);
}
