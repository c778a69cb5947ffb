/**
 * System calls for namespaces, sockets and terminals that Node does not have, through koffi. koffi is loaded on first
 * use, so that unit tests need no native module.
 */
import { createRequire } from 'node:module';
import { SystemCallError } from './file-system-calls.ts';

interface SystemCalls {
  unshare(flags: number): number;
  setns(fd: number, type: number): number;
  sethostname(name: string, length: number): number;
  socket(family: number, type: number, protocol: number): number;
  connect(fd: number, address: Buffer, length: number): number;
  posix_openpt(flags: number): number;
  grantpt(fd: number): number;
  unlockpt(fd: number): number;
  ptsname_r(fd: number, name: Buffer, length: number): number;
  ioctl(fd: number, request: number, argument: Buffer): number;
  fcntl(fd: number, command: number, argument: number): number;
  close(fd: number): number;
  errno(): number;
}

interface Koffi {
  load(name: string): { func(prototype: string): (...parameters: unknown[]) => unknown };
  errno(): number;
}

let loaded: SystemCalls | undefined;

export function systemCalls(): SystemCalls {
  loaded ??= load();
  return loaded;
}

function load(): SystemCalls {
  if (process.platform !== 'linux') throw new Error(`containers exist on Linux only, not on ${process.platform}`);
  const koffi = createRequire(import.meta.url)('koffi') as Koffi;
  let lib: ReturnType<Koffi['load']>;
  try {
    lib = koffi.load('libc.so.6');
  } catch {
    lib = koffi.load('libc.so');
  }
  const call = <Parameters extends unknown[]>(prototype: string): ((...parameters: Parameters) => number) => {
    const native = lib.func(prototype);
    return (...parameters) => Number(native(...parameters));
  };
  return {
    unshare: call('int unshare(int flags)'),
    setns: call('int setns(int fd, int type)'),
    sethostname: call('int sethostname(const char *name, size_t length)'),
    socket: call('int socket(int family, int type, int protocol)'),
    connect: call('int connect(int fd, const void *address, uint32_t length)'),
    posix_openpt: call('int posix_openpt(int flags)'),
    grantpt: call('int grantpt(int fd)'),
    unlockpt: call('int unlockpt(int fd)'),
    ptsname_r: call('int ptsname_r(int fd, _Out_ void *name, size_t length)'),
    ioctl: call('int ioctl(int fd, unsigned long request, void *argument)'),
    fcntl: call('int fcntl(int fd, int command, int argument)'),
    close: call('int close(int fd)'),
    errno: () => koffi.errno(),
  };
}

/** Throws a SystemCallError for a negative result. */
export function checked(result: number, syscall: string, subject = ''): number {
  if (result < 0) throw new SystemCallError(syscall, systemCalls().errno(), subject);
  return result;
}
