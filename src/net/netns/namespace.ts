/** Network namespaces that are pinned to files, and code that runs inside one. */
import fs from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { makeDirectorySync } from '../../kernel/index.ts';
import { checked, libc, SystemCallError } from './libc.ts';

const CLONE_NEWNET = 0x4000_0000;
const MS_BIND = 0x1000;
const MNT_DETACH = 2;
const NSFS_MAGIC = 0x6e73_6673;

/** The network namespace of the process. Opened once, before a thread enters another one. */
let home: number | undefined;
/** The namespace that the thread has entered; undefined in the namespace of the process. */
let visited: number | undefined;

function homeNamespace(): number {
  home ??= fs.openSync('/proc/thread-self/ns/net', 'r');
  return home;
}

/**
 * Calls `work` with this thread in the network namespace pinned at `netns`, and always returns to the namespace of the
 * process. Sockets that `work` opens and processes that it starts stay in that namespace; /proc/sys/net has its
 * sysctls. Only synchronous work runs there: after the first `await` the thread is back. With undefined, `work` runs in
 * the namespace of the process.
 */
export function inNetns<Result>(netns: string | undefined, work: () => Result): Result {
  if (netns === undefined) return work();
  homeNamespace();
  const target = openNetns(netns);
  try {
    return inNetnsOf(target, work);
  } finally {
    fs.closeSync(target);
  }
}

function inNetnsOf<Result>(target: number, work: () => Result): Result {
  const before = visited;
  checked(libc().setns(target, CLONE_NEWNET), 'setns');
  visited = target;
  try {
    return work();
  } finally {
    visited = before;
    returnToProcessNamespace();
  }
}

/** A thread that cannot return would silently continue in the wrong network, so the process ends. */
function returnToProcessNamespace(): void {
  if (libc().setns(visited ?? homeNamespace(), CLONE_NEWNET) !== 0) {
    process.stderr.write(
      `cannot return to the network namespace of the process: ${new SystemCallError('setns', libc().errno()).message}\n`,
    );
    process.abort();
  }
}

/** A file descriptor of the pinned namespace, to be closed by the caller. */
export function openNetns(netns: string): number {
  let fd: number;
  try {
    fd = fs.openSync(netns, 'r');
  } catch (error) {
    throw new Error(`there is no network namespace at ${netns}`, { cause: error });
  }
  if (!isNamespaceFile(`/proc/self/fd/${fd}`)) {
    fs.closeSync(fd);
    throw new Error(`${netns} is a file, but no namespace is mounted on it`);
  }
  return fd;
}

/** Whether a network namespace is mounted on the file. */
export function isNetns(netns: string): boolean {
  return fs.existsSync(netns) && isNamespaceFile(netns);
}

function isNamespaceFile(file: string): boolean {
  return fs.statfsSync(file).type === NSFS_MAGIC;
}

/**
 * Creates a network namespace, and the file to which it is pinned; loopback is down. Fails if the file already has one.
 */
export function createNetns(netns: string): void {
  if (isNetns(netns)) throw new Error(`there is a network namespace at ${netns} already`);
  makeDirectorySync(path.dirname(netns));
  fs.writeFileSync(netns, '');
  homeNamespace();
  try {
    checked(libc().unshare(CLONE_NEWNET), 'unshare', 'of the network namespace');
    try {
      checked(libc().mount('/proc/thread-self/ns/net', netns, null, MS_BIND, null), 'mount', netns);
    } finally {
      returnToProcessNamespace();
    }
  } catch (error) {
    fs.rmSync(netns, { force: true });
    throw error;
  }
}

/** Unpins the namespace; the kernel removes it and its interfaces when its last process and socket are gone. */
export function deleteNetns(netns: string): void {
  while (isNetns(netns)) checked(libc().umount2(netns, MNT_DETACH), 'umount', netns);
  fs.rmSync(netns, { force: true });
}

/** Sets a sysctl of the namespace by its dotted or slashed name. Interface names with dots need the slashed form. */
export function writeSysctl(netns: string | undefined, name: string, value: string | number): void {
  inNetns(netns, () => {
    const file = sysctlFile(name);
    try {
      fs.writeFileSync(file, String(value));
    } catch (error) {
      throw new Error(`the sysctl ${name} cannot be set to ${value}: ${errorMessage(error)}`, { cause: error });
    }
  });
}

/** Undefined when the kernel has no such sysctl. */
export function readSysctl(netns: string | undefined, name: string): string | undefined {
  return inNetns(netns, () => {
    const file = sysctlFile(name);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : undefined;
  });
}

function sysctlFile(name: string): string {
  const relative = name.includes('/') ? name : name.replaceAll('.', '/');
  if (!/^net\/[\w./-]+$/.test(relative) || relative.split('/').includes('..'))
    throw new Error(`${name} is not a sysctl of a network namespace`);
  return `/proc/sys/${relative}`;
}
