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
const F_DUPFD_CLOEXEC = 1030;
const MAX_PATH_LENGTH = 107;

export const STDOUT_PIPE = 2;
export const STDERR_PIPE = 3;

/** The largest message that conmon reads. */
export const MAX_MESSAGE_BYTES = 8192;

/** What conmon adds to a message that it sends. */
const HEADER_BYTES = 1;

interface ConmonSocket {
  readonly socket: net.Socket;
  /**
   * The messages that the socket has not emitted; to be called once, when it has closed. libuv takes a short read from a socket that
   * has hung up for its end, so that it reads one message of those that wait.
   */
  takeRest(): Buffer[];
}

export function connectToConmon(attachSocket: string): ConmonSocket {
  const system = systemCalls();
  // Socket addresses are limited in length; a path through the directory's descriptor is short.
  const folder = fs.openSync(path.dirname(attachSocket), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  const fd = checked(system.socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), 'socket');
  let duplicate = -1;
  try {
    const address = unixAddress(`/proc/self/fd/${folder}/${path.basename(attachSocket)}`);
    checked(system.connect(fd, address, address.length), 'connect', attachSocket);
    duplicate = checked(system.fcntl(fd, F_DUPFD_CLOEXEC, 0), 'fcntl', attachSocket);
    return { socket: adopt(fd), takeRest: () => takeMessages(duplicate) };
  } catch (error) {
    system.close(fd);
    if (duplicate >= 0) system.close(duplicate);
    throw error;
  } finally {
    fs.closeSync(folder);
  }
}

/** Closes the descriptor, which does not block. */
function takeMessages(fd: number): Buffer[] {
  const messages: Buffer[] = [];
  const buffer = Buffer.alloc(HEADER_BYTES + MAX_MESSAGE_BYTES);
  try {
    for (let length = fs.readSync(fd, buffer); length > 0; length = fs.readSync(fd, buffer))
      messages.push(Buffer.from(buffer.subarray(0, length)));
  } catch {
    // EAGAIN: conmon is still there, and has sent nothing more.
  } finally {
    fs.closeSync(fd);
  }
  return messages;
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
