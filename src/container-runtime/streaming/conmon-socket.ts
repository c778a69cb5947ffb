/**
 * conmon's attach socket, which carries a container's stdio. It is a SOCK_SEQPACKET socket, which Node does not
 * support: it is opened with system calls and read through a pipe handle, one message per chunk.
 *
 *   from conmon: pipe (1 byte: 2 stdout, 3 stderr), data      to conmon: data for stdin
 */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { checked, systemCalls } from '../linux/system-calls.ts';

const AF_UNIX = 1;
const SOCK_SEQPACKET = 5;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const MAX_PATH_LENGTH = 107;

export const STDOUT_PIPE = 2;
export const STDERR_PIPE = 3;

/** The largest message that conmon reads. */
export const MAX_MESSAGE_BYTES = 8192;

export function connectToConmon(attachSocket: string): net.Socket {
  const system = systemCalls();
  // Socket addresses are limited in length; a path through the directory's descriptor is short.
  const folder = fs.openSync(path.dirname(attachSocket), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  const fd = checked(system.socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), 'socket');
  try {
    const address = unixAddress(`/proc/self/fd/${folder}/${path.basename(attachSocket)}`);
    checked(system.connect(fd, address, address.length), 'connect', attachSocket);
    return adopt(fd);
  } catch (error) {
    system.close(fd);
    throw error;
  } finally {
    fs.closeSync(folder);
  }
}

function unixAddress(file: string): Buffer {
  const name = Buffer.from(file);
  if (name.length > MAX_PATH_LENGTH) throw new Error(`the path ${file} is too long for a socket`);
  const address = Buffer.alloc(2 + name.length + 1);
  address.writeUInt16LE(AF_UNIX, 0);
  name.copy(address, 2);
  return address;
}

interface PipeHandle {
  open(fd: number): number | undefined;
}

/** `new net.Socket({ fd })` accepts stream sockets only; the handle below it accepts any socket. */
function adopt(fd: number): net.Socket {
  const model = new net.Socket();
  // This connection fails, but gives access to the constructor of Unix socket handles.
  model.on('error', () => {});
  model.connect({ path: '/dev/null' });
  const Pipe = (model as unknown as { _handle?: { constructor: new (type: number) => PipeHandle } })._handle
    ?.constructor;
  model.destroy();
  if (Pipe === undefined) throw new Error('this version of Node gives no access to Unix socket handles');
  const handle = new Pipe(0);
  const failed = handle.open(fd);
  if (typeof failed === 'number' && failed !== 0)
    throw new Error(`failed to open the attach socket of conmon (${failed})`);
  return new net.Socket({ handle, readable: true, writable: true, allowHalfOpen: true } as net.SocketConstructorOpts);
}
