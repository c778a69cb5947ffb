/** Creates network, IPC and UTS namespaces without a process: this thread unshares, pins them to files, and returns. */
import fs from 'node:fs';
import { SystemCallError } from './file-system-calls.ts';
import { bindMount, unmountAll } from './mounts.ts';
import { checked, systemCalls } from './system-calls.ts';

const CLONE_FLAGS = { uts: 0x0400_0000, ipc: 0x0800_0000, net: 0x4000_0000 } as const;
const NSFS_MAGIC = 0x6e73_6673;

export type PinnedKind = keyof typeof CLONE_FLAGS;

/** The namespaces of the process, to which the thread returns. */
const ownNamespaces = new Map<PinnedKind, number>();

function ownNamespace(kind: PinnedKind): number {
  let fd = ownNamespaces.get(kind);
  if (fd === undefined) {
    fd = fs.openSync(`/proc/thread-self/ns/${kind}`, 'r');
    ownNamespaces.set(kind, fd);
  }
  return fd;
}

/** Aborts the process if the thread cannot return, because it would silently continue in the wrong namespaces. */
function returnToOwnNamespaces(kinds: readonly PinnedKind[]): void {
  for (const kind of kinds) {
    if (systemCalls().setns(ownNamespace(kind), CLONE_FLAGS[kind]) === 0) continue;
    process.stderr.write(
      `cannot return to the ${kind} namespace of the process: ${new SystemCallError('setns', systemCalls().errno(), kind).message}\n`,
    );
    process.abort();
  }
}

/**
 * Creates the namespaces and pins each to its file. `inside` runs synchronously while this thread is in them, to set
 * host name and sysctls.
 */
export function createPinnedNamespaces(files: Partial<Record<PinnedKind, string>>, inside: () => void): void {
  const kinds = (Object.keys(files) as PinnedKind[]).filter((kind) => files[kind] !== undefined);
  for (const kind of kinds) ownNamespace(kind);
  for (const kind of kinds) fs.writeFileSync(files[kind]!, '');
  checked(systemCalls().unshare(kinds.reduce((flags, kind) => flags | CLONE_FLAGS[kind], 0)), 'unshare');
  try {
    inside();
    for (const kind of kinds) bindMount(`/proc/thread-self/ns/${kind}`, files[kind]!);
  } finally {
    returnToOwnNamespaces(kinds);
  }
}

/** Pins a namespace of a process, so that it outlives the process. */
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

/** Unpins a namespace. The kernel removes it with its last process. */
export function unpin(file: string): void {
  if (!fs.existsSync(file)) return;
  unmountAll(file);
  fs.rmSync(file, { force: true });
}

export function setHostname(name: string): void {
  checked(systemCalls().sethostname(name, Buffer.byteLength(name)), 'sethostname', name);
}
