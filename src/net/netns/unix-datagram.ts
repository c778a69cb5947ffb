/** Datagrams to unix sockets, which Node's `dgram` does not have. */
import { checked, libc } from './libc.ts';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;
/** `struct sockaddr_un`: family u16, path. */
const MAX_PATH = 107;

/** `address` is a path, or a name in the abstract namespace after `@`. */
export function sendUnixDatagram(address: string, text: string): void {
  const system = libc();
  const bytes = Buffer.from(text);
  const target = socketAddress(address);
  const fd = checked(system.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), 'socket', 'for datagrams');
  try {
    checked(system.connect(fd, target, target.length), 'connect', address);
    checked(system.send(fd, bytes, bytes.length, MSG_NOSIGNAL), 'send', `to ${address}`);
  } finally {
    system.close(fd);
  }
}

function socketAddress(address: string): Buffer {
  const isAbstract = address.startsWith('@');
  const path = Buffer.from(isAbstract ? `\0${address.slice(1)}` : `${address}\0`);
  if (path.length > MAX_PATH + 1) throw new Error(`the name of the socket ${address} is too long`);
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, path]);
}
