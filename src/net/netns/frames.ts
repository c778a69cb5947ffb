/** Whole Ethernet frames through an interface of this namespace. */
import { checked, libc } from './libc.ts';

const AF_PACKET = 17;
const SOCK_RAW = 3;
const SOCK_CLOEXEC = 0o2000000;
/** `struct sockaddr_ll`: family u16, protocol u16, index i32, hardware type u16, packet type u8, length u8, address. */
const ADDRESS_BYTES = 20;

/** Sends the frames by the interface with this index. */
export function sendFrames(index: number, frames: readonly Buffer[]): void {
  const system = libc();
  const fd = checked(system.socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), 'socket', 'for frames');
  try {
    const address = Buffer.alloc(ADDRESS_BYTES);
    address.writeUInt16LE(AF_PACKET, 0);
    address.writeInt32LE(index, 4);
    checked(system.bind(fd, address, address.length), 'bind', `to the interface ${index}`);
    for (const frame of frames) checked(system.send(fd, frame, frame.length, 0), 'send', 'a frame');
  } finally {
    system.close(fd);
  }
}
