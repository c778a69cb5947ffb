/**
 * System calls that Node does not offer, through koffi. Loaded on first use: only a process that uses namespaces needs
 * the native module.
 */
import { createRequire } from 'node:module';

type Integer = number;

interface Libc {
  setns(fd: Integer, type: Integer): Integer;
  unshare(flags: Integer): Integer;
  socket(family: Integer, type: Integer, protocol: Integer): Integer;
  bind(fd: Integer, address: Buffer, length: Integer): Integer;
  connect(fd: Integer, address: Buffer, length: Integer): Integer;
  setsockopt(fd: Integer, level: Integer, name: Integer, value: Buffer, length: Integer): Integer;
  recv(fd: Integer, buffer: Buffer, length: Integer, flags: Integer): Integer;
  send(fd: Integer, buffer: Buffer, length: Integer, flags: Integer): Integer;
  /** `send` on a thread of the pool, for requests that may wait for a kernel lock. */
  sendAsync(fd: Integer, buffer: Buffer, length: Integer, flags: Integer): Promise<Integer>;
  mount(source: string, target: string, type: string | null, flags: Integer, data: null): Integer;
  umount2(target: string, flags: Integer): Integer;
  flock(fd: Integer, operation: Integer): Integer;
  close(fd: Integer): Integer;
  errno(): Integer;
}

/** A failed system call. `code` is the errno name, as in Node's own errors. */
export class SystemCallError extends Error {
  readonly code: string;

  constructor(
    readonly syscall: string,
    readonly errno: number,
    subject = '',
  ) {
    const { code, text } = describeErrno(errno);
    super(`${syscall}${subject === '' ? '' : ` ${subject}`}: ${text} (${code})`);
    this.name = 'SystemCallError';
    this.code = code;
  }
}

let loaded: Libc | undefined;

export function libc(): Libc {
  loaded ??= load();
  return loaded;
}

function load(): Libc {
  if (process.platform !== 'linux')
    throw new Error(`network namespaces exist on Linux only, not on ${process.platform}`);
  const require = createRequire(import.meta.url);
  // The module is optional, so its types cannot be imported; the used part is declared here.
  const koffi = require('koffi') as {
    load(name: string): { func(prototype: string): Function & { async: Function } };
    errno(): number;
  };
  let lib: ReturnType<typeof koffi.load>;
  try {
    lib = koffi.load('libc.so.6');
  } catch {
    lib = koffi.load('libc.so');
  }
  const call = <Arguments extends unknown[]>(prototype: string): ((...parameters: Arguments) => Integer) => {
    const native = lib.func(prototype);
    return (...parameters) => Number(native(...parameters));
  };
  const send = lib.func('intptr_t send(int fd, const void *buffer, size_t length, int flags)');
  return {
    setns: call('int setns(int fd, int nstype)'),
    unshare: call('int unshare(int flags)'),
    socket: call('int socket(int family, int type, int protocol)'),
    connect: call('int connect(int fd, const void *address, uint32_t length)'),
    bind: call('int bind(int fd, const void *address, uint32_t length)'),
    setsockopt: call('int setsockopt(int fd, int level, int name, const void *value, uint32_t length)'),
    recv: call('intptr_t recv(int fd, _Out_ void *buffer, size_t length, int flags)'),
    send: (...parameters) => Number(send(...parameters)),
    sendAsync: (...parameters) =>
      new Promise((resolve, reject) => {
        send.async(...parameters, (error: Error | null, result: unknown) =>
          error === null ? resolve(Number(result)) : reject(error),
        );
      }),
    mount: call(
      'int mount(const char *source, const char *target, const char *type, unsigned long flags, const void *data)',
    ),
    umount2: call('int umount2(const char *target, int flags)'),
    flock: call('int flock(int fd, int operation)'),
    close: call('int close(int fd)'),
    errno: () => koffi.errno(),
  };
}

/** Throws for a negative result, which is libc's failure. */
export function checked(result: number, syscall: string, subject?: string): number {
  if (result < 0) throw new SystemCallError(syscall, libc().errno(), subject);
  return result;
}

const ERRNO: Readonly<Record<number, readonly [code: string, text: string]>> = {
  1: ['EPERM', 'operation not permitted'],
  2: ['ENOENT', 'no such file or directory'],
  3: ['ESRCH', 'no such process'],
  4: ['EINTR', 'interrupted system call'],
  6: ['ENXIO', 'no such device or address'],
  9: ['EBADF', 'bad file descriptor'],
  11: ['EAGAIN', 'resource temporarily unavailable'],
  12: ['ENOMEM', 'out of memory'],
  13: ['EACCES', 'permission denied'],
  16: ['EBUSY', 'device or resource busy'],
  17: ['EEXIST', 'exists already'],
  19: ['ENODEV', 'no such device'],
  20: ['ENOTDIR', 'not a directory'],
  22: ['EINVAL', 'invalid argument'],
  24: ['EMFILE', 'too many open files'],
  28: ['ENOSPC', 'no space left'],
  34: ['ERANGE', 'result out of range'],
  95: ['EOPNOTSUPP', 'not supported by this kernel'],
  97: ['EAFNOSUPPORT', 'address family not supported'],
  98: ['EADDRINUSE', 'address already in use'],
  99: ['EADDRNOTAVAIL', 'address not available'],
  100: ['ENETDOWN', 'network is down'],
  101: ['ENETUNREACH', 'network is unreachable'],
  105: ['ENOBUFS', 'no buffer space available'],
  111: ['ECONNREFUSED', 'connection refused'],
};

export function describeErrno(errno: number): { code: string; text: string } {
  const [code, text] = ERRNO[errno] ?? [`E${errno}`, `error ${errno}`];
  return { code, text };
}
