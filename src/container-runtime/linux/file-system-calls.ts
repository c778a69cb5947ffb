/**
 * System calls on files and mounts that Node does not have, through koffi. koffi is loaded on first use, so that a
 * process without containers never loads the native module. The calls are synchronous, except those named `…InThread`.
 */
import { createRequire } from 'node:module';
import { getSystemErrorName } from 'node:util';

/** A system call failed. `code` is the name of the error, e.g. `EBUSY`, as in Node's own errors. */
export class SystemCallError extends Error {
  override readonly name = 'SystemCallError';
  readonly code: string;

  constructor(
    readonly syscall: string,
    readonly errno: number,
    subject: string,
  ) {
    const code = errorName(errno);
    super(`${syscall} ${subject}: ${code}`);
    this.code = code;
  }
}

export const MS = {
  RDONLY: 0x1,
  NOSUID: 0x2,
  NODEV: 0x4,
  NOEXEC: 0x8,
  REMOUNT: 0x20,
  BIND: 0x1000,
  MOVE: 0x2000,
  REC: 0x4000,
  UNBINDABLE: 0x20000,
  PRIVATE: 0x40000,
  SLAVE: 0x80000,
  SHARED: 0x100000,
} as const;

export const MNT_DETACH = 2;

export function mount(
  source: string,
  target: string,
  { type, flags = 0, data }: { type?: string; flags?: number; data?: string },
): void {
  checked(native().mount(source, target, type ?? null, flags, data ?? null), 'mount', target);
}

export function unmount(target: string, flags = 0): void {
  checked(native().umount2(target, flags), 'umount2', target);
}

/** Like `mount`, in a pool thread, because some file systems write to disk when they are mounted. */
export async function mountInThread(
  source: string,
  target: string,
  { type, flags = 0, data }: { type?: string; flags?: number; data?: string },
): Promise<void> {
  const result = await new Promise<number>((resolve, reject) => {
    native().mountAsync(source, target, type ?? null, flags, data ?? null, (error, answer) =>
      error === null ? resolve(answer) : reject(error),
    );
  });
  // errno belongs to the thread that failed, so the call is repeated here to get it.
  if (result < 0)
    mount(source, target, { ...(type === undefined ? {} : { type }), flags, ...(data === undefined ? {} : { data }) });
}

/** Like `unmount`, in a pool thread; false if it failed. */
export function unmountInThread(target: string, flags = 0): Promise<boolean> {
  return new Promise((resolve, reject) => {
    native().umount2Async(target, flags, (error, answer) => (error === null ? resolve(answer === 0) : reject(error)));
  });
}

/** Sets an extended attribute; does not follow symbolic links. */
export function setAttribute(path: string, name: string, value: Uint8Array): void {
  checked(native().lsetxattr(path, name, value, value.length, 0), `lsetxattr ${name}`, path);
}

/** The value of an extended attribute; undefined if the file does not have it. */
export function getAttribute(path: string, name: string): Buffer | undefined {
  const value = Buffer.alloc(64 * 1024);
  const length = native().lgetxattr(path, name, value, value.length);
  if (length >= 0) return Buffer.from(value.subarray(0, length));
  const error = new SystemCallError(`lgetxattr ${name}`, native().errno(), path);
  if (error.code === 'ENODATA' || error.code === 'ENOTSUP' || error.code === 'EOPNOTSUPP') return undefined;
  throw error;
}

export const NODE_TYPE = { CHARACTER: 0o020000, BLOCK: 0o060000, FIFO: 0o010000, SOCKET: 0o140000 } as const;

/** Creates a device, fifo or socket; `mode` has its type and permissions. */
export function makeNode(
  path: string,
  mode: number,
  device: { major: number; minor: number } = { major: 0, minor: 0 },
): void {
  checked(native().mknod(path, mode, deviceNumber(device)), 'mknod', path);
}

/** Syncs the whole file system of the open file (syncfs). */
export function syncFileSystem(fd: number): void {
  checked(native().syncfs(fd), 'syncfs', `${fd}`);
}

/** Takes an exclusive flock until the file is closed; false if another process has it. */
export function tryLock(fd: number): boolean {
  const LOCK_EX_NB = 2 | 4;
  if (native().flock(fd, LOCK_EX_NB) === 0) return true;
  const error = new SystemCallError('flock', native().errno(), `${fd}`);
  if (error.code === 'EAGAIN') return false;
  throw error;
}

const SYS = { open_tree: 428, move_mount: 429, mount_setattr: 442 } as const;
const OPEN_TREE_CLONE = 1;
const OPEN_TREE_CLOEXEC = 0o2000000;
const AT_FDCWD = -100;
const AT_EMPTY_PATH = 0x1000;
const AT_RECURSIVE = 0x8000;
const MOVE_MOUNT_F_EMPTY_PATH = 0x4;
const MOUNT_ATTR_IDMAP = 0x100000n;

/** A detached copy of the mount at `path` (open_tree); the caller closes the file descriptor. */
export function cloneMount(path: string, options: { recursive?: boolean } = {}): number {
  const flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (options.recursive === true ? AT_RECURSIVE : 0);
  return checked(native().open_tree(SYS.open_tree, AT_FDCWD, path, flags), 'open_tree', path);
}

/** Makes a detached mount an idmapped mount of the user namespace. */
export function mapOwners(mountFd: number, userNamespaceFd: number): void {
  const attributes = Buffer.alloc(32);
  attributes.writeBigUInt64LE(MOUNT_ATTR_IDMAP, 0);
  attributes.writeBigUInt64LE(BigInt(userNamespaceFd), 24);
  const result = native().mount_setattr(SYS.mount_setattr, mountFd, '', AT_EMPTY_PATH, attributes, attributes.length);
  checked(result, 'mount_setattr', `${mountFd}`);
}

/** Attaches a detached mount. */
export function attachMount(mountFd: number, target: string): void {
  checked(
    native().move_mount(SYS.move_mount, mountFd, '', AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH),
    'move_mount',
    target,
  );
}

type Answer = (error: Error | null, result: number) => void;

interface NativeCalls {
  mountAsync(
    source: string,
    target: string,
    type: string | null,
    flags: number,
    data: string | null,
    answer: Answer,
  ): void;
  umount2Async(target: string, flags: number, answer: Answer): void;
  mount(source: string, target: string, type: string | null, flags: number, data: string | null): number;
  umount2(target: string, flags: number): number;
  lsetxattr(path: string, name: string, value: Uint8Array, size: number, flags: number): number;
  lgetxattr(path: string, name: string, value: Uint8Array, size: number): number;
  mknod(path: string, mode: number, device: bigint): number;
  syncfs(fd: number): number;
  flock(fd: number, operation: number): number;
  open_tree(call: number, folder: number, path: string, flags: number): number;
  move_mount(call: number, from: number, fromPath: string, to: number, toPath: string, flags: number): number;
  mount_setattr(
    call: number,
    folder: number,
    path: string,
    flags: number,
    attributes: Uint8Array,
    size: number,
  ): number;
  errno(): number;
}

let loaded: NativeCalls | undefined;

function native(): NativeCalls {
  loaded ??= load();
  return loaded;
}

function load(): NativeCalls {
  if (process.platform !== 'linux') throw new Error(`containers run on Linux only, not on ${process.platform}`);
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
  // null loads the symbols of the process, which is linked with its libc.
  const libc = koffi.load(null);
  const call = (prototype: string): ((...parameters: unknown[]) => number) => {
    const func = libc.func(prototype);
    return (...parameters) => Number(func(...parameters));
  };
  const mountCall =
    'int mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data)';
  const unmountCall = 'int umount2(const char *target, int flags)';
  const [mountNative, unmountNative] = [libc.func(mountCall), libc.func(unmountCall)];
  return {
    mount: call(mountCall),
    umount2: call(unmountCall),
    mountAsync: (...parameters) => mountNative.async(...parameters),
    umount2Async: (...parameters) => unmountNative.async(...parameters),
    lsetxattr: call('int lsetxattr(const char *path, const char *name, const void *value, size_t size, int flags)'),
    lgetxattr: call('intptr_t lgetxattr(const char *path, const char *name, _Out_ void *value, size_t size)'),
    mknod: call('int mknod(const char *path, unsigned int mode, uint64_t device)'),
    syncfs: call('int syncfs(int fd)'),
    flock: call('int flock(int fd, int operation)'),
    open_tree: call('long syscall(long call, int folder, const char *path, unsigned int flags)'),
    move_mount: call(
      'long syscall(long call, int from, const char *fromPath, int to, const char *toPath, unsigned int flags)',
    ),
    mount_setattr: call(
      'long syscall(long call, int folder, const char *path, unsigned int flags, const void *attributes, size_t size)',
    ),
    errno: () => koffi.errno(),
  };
}

function checked(result: number, syscall: string, subject: string): number {
  if (result < 0) throw new SystemCallError(syscall, native().errno(), subject);
  return result;
}

function errorName(errno: number): string {
  try {
    return getSystemErrorName(-errno);
  } catch {
    return errno === 61 ? 'ENODATA' : `E${errno}`;
  }
}

/** The kernel's own packing of a device number, which glibc and musl share. */
function deviceNumber({ major, minor }: { major: number; minor: number }): bigint {
  const [high, low] = [BigInt(major), BigInt(minor)];
  return ((high & 0xfffff000n) << 32n) | ((high & 0xfffn) << 8n) | ((low & 0xffffff00n) << 12n) | (low & 0xffn);
}
