/** Network, IPC and UTS namespaces without a process: made by this thread for a moment, pinned to files. */
import fs from 'node:fs';
import { SystemCallError } from './file-system-calls.ts';
import { bindMount, unmountAll } from './mounts.ts';
import { checked, systemCalls } from './system-calls.ts';

const CLONE_FLAGS = { uts: 0x0400_0000, ipc: 0x0800_0000, net: 0x4000_0000 } as const;
const NSFS_MAGIC = 0x6e73_6673;

export type PinnedKind = keyof typeof CLONE_FLAGS;

/** The namespaces of the process, which the thread comes back to. */
const home = new Map<PinnedKind, number>();

function homeOf(kind: PinnedKind): number {
  let fd = home.get(kind);
  if (fd === undefined) {
    fd = fs.openSync(`/proc/thread-self/ns/${kind}`, 'r');
    home.set(kind, fd);
  }
  return fd;
}

/** A thread that cannot come back would go on in the wrong namespaces without anyone seeing it: the process must end. */
function comeHome(kinds: readonly PinnedKind[]): void {
  for (const kind of kinds) {
    if (systemCalls().setns(homeOf(kind), CLONE_FLAGS[kind]) === 0) continue;
    process.stderr.write(
      `cannot return to the ${kind} namespace of the process: ${new SystemCallError('setns', systemCalls().errno(), kind).message}\n`,
    );
    process.abort();
  }
}

/**
 * Makes the namespaces and pins each to its file. `inside` runs, synchronously, while this thread is in all of them:
 * host name and sysctls that it sets are theirs.
 */
export function createPinnedNamespaces(files: Partial<Record<PinnedKind, string>>, inside: () => void): void {
  const kinds = (Object.keys(files) as PinnedKind[]).filter((kind) => files[kind] !== undefined);
  for (const kind of kinds) homeOf(kind);
  for (const kind of kinds) fs.writeFileSync(files[kind]!, '');
  checked(systemCalls().unshare(kinds.reduce((flags, kind) => flags | CLONE_FLAGS[kind], 0)), 'unshare');
  try {
    inside();
    for (const kind of kinds) bindMount(`/proc/thread-self/ns/${kind}`, files[kind]!);
  } finally {
    comeHome(kinds);
  }
}

/** Pins a namespace of a process, so that it stays when the process ends. */
export function pinNamespaceOf(pid: number, kind: string, file: string): void {
  fs.writeFileSync(file, '');
  bindMount(`/proc/${pid}/ns/${kind}`, file);
}

export function isPinned(file: string): boolean {
  try {
    return fs.statfsSync(file).type === NSFS_MAGIC;
  } catch {
    return false;
  }
}

/** Unpins; with its last process gone the kernel removes the namespace and what is in it. */
export function unpin(file: string): void {
  if (!fs.existsSync(file)) return;
  unmountAll(file);
  fs.rmSync(file, { force: true });
}

export function setHostname(name: string): void {
  checked(systemCalls().sethostname(name, Buffer.byteLength(name)), 'sethostname', name);
}
