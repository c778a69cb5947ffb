/** Mounts layers with overlayfs. */
import { closeSync, constants, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../../kernel/index.ts';
import {
  attachMount,
  cloneMount,
  mapOwners,
  MNT_DETACH,
  mountInThread,
  MS,
  SystemCallError,
  unmount,
  unmountInThread,
} from '../../linux/file-system-calls.ts';
import { inUserNamespace } from '../../linux/user-namespace.ts';

export interface OverlayMount {
  readonly target: string;
  /** The topmost first; at least one. */
  readonly lowers: readonly string[];
  /** Absent for a read-only stack. */
  readonly upper?: { readonly upperdir: string; readonly workdir: string };
  readonly label?: string;
  /** metacopy=on: a chown or chmod copies up only the metadata of a file. */
  readonly metadataOnlyCopies?: boolean;
}

/**
 * The writable layer does not have to survive a crash of the host. Without this option, unmounting syncs the whole
 * upper file system, which can take seconds.
 */
const VOLATILE = 'volatile';

/** The kernel takes one page of mount options, including a NUL. */
const MAX_OPTIONS_LENGTH = 4095;

export async function mountOverlay(overlay: OverlayMount): Promise<void> {
  if (overlay.upper === undefined) {
    await mountWith(overlay, []);
    return;
  }
  try {
    await mountWith(overlay, [VOLATILE]);
  } catch (error) {
    // Kernels before 5.10 do not have the option.
    if (!(error instanceof SystemCallError) || error.code !== 'EINVAL') throw error;
    await mountWith(overlay, []);
  }
}

async function mountWith(overlay: OverlayMount, more: readonly string[]): Promise<void> {
  const options = optionsOf(overlay, overlay.lowers, more);
  const flags = overlay.upper === undefined ? MS.RDONLY : 0;
  if (Buffer.byteLength(options) <= MAX_OPTIONS_LENGTH) {
    await mountInThread('overlay', overlay.target, { type: 'overlay', flags, data: options });
    return;
  }
  // Paths through file descriptors are shorter.
  const O_PATH = 0o10000000;
  const opened: number[] = [];
  try {
    for (const lower of overlay.lowers) opened.push(openSync(lower, O_PATH | constants.O_DIRECTORY));
    const short = optionsOf(
      overlay,
      opened.map((fd) => `/proc/self/fd/${fd}`),
      more,
    );
    if (Buffer.byteLength(short) > MAX_OPTIONS_LENGTH)
      throw new Error(`${overlay.lowers.length} layers are more than can be mounted`);
    await mountInThread('overlay', overlay.target, { type: 'overlay', flags, data: short });
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

function optionsOf(overlay: OverlayMount, lowers: readonly string[], more: readonly string[]): string {
  const options = [`lowerdir=${lowers.map(escapeLower).join(':')}`];
  if (overlay.upper !== undefined)
    options.push(`upperdir=${escapeOption(overlay.upper.upperdir)}`, `workdir=${escapeOption(overlay.upper.workdir)}`);
  // In a user namespace overlayfs keeps its attributes in `user.*`, and cannot combine that with metacopy.
  if (inUserNamespace()) options.push('userxattr');
  else if (overlay.metadataOnlyCopies === true) options.push('metacopy=on');
  if (overlay.label !== undefined && overlay.label !== '') options.push(`context="${overlay.label}"`);
  return [...options, ...more].join(',');
}

function escapeOption(path: string): string {
  return path.replace(/[\\,]/g, '\\$&');
}

function escapeLower(path: string): string {
  return escapeOption(path).replace(/:/g, '\\:');
}

/**
 * Mounts an overlay of idmapped layers, for a user namespace. Each layer gets a temporary idmapped mount until
 * overlayfs is mounted.
 */
export async function mountMappedOverlay(overlay: OverlayMount, userNamespace: string, scratch: string): Promise<void> {
  const namespaceFd = openSync(userNamespace, constants.O_RDONLY);
  const mounted: string[] = [];
  try {
    for (const [index, lower] of overlay.lowers.entries()) {
      const target = join(scratch, `${index}`);
      await makeDirectory(target, { mode: 0o700 });
      const mountFd = cloneMount(lower);
      try {
        mapOwners(mountFd, namespaceFd);
        attachMount(mountFd, target);
      } finally {
        closeSync(mountFd);
      }
      mounted.push(target);
    }
    await mountOverlay({ ...overlay, lowers: mounted });
  } finally {
    closeSync(namespaceFd);
    for (const target of mounted) unmount(target, MNT_DETACH);
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Whether the kernel or the file system does not support idmapped mounts. */
export function cannotMapOwners(error: unknown): boolean {
  return (
    error instanceof SystemCallError && ['ENOSYS', 'EINVAL', 'EOPNOTSUPP', 'ENOTSUP', 'EPERM'].includes(error.code)
  );
}

/** Unmounts all mounts at a path; does nothing if there are none. */
export async function unmountAll(target: string): Promise<void> {
  await unmountInThread(target, MNT_DETACH);
  for (let times = 0; times < 100; times++) {
    try {
      unmount(target, MNT_DETACH);
    } catch (error) {
      if (error instanceof SystemCallError && (error.code === 'EINVAL' || error.code === 'ENOENT')) return;
      throw error;
    }
  }
}
