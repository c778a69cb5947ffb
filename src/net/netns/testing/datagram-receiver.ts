import fs from 'node:fs';
import { checked, libc } from '../libc.ts';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
/** A child that inherits the socket would keep its name taken. */
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;

export interface DatagramReceiver {
  /** What has arrived since the last call. */
  received(): string[];
  close(): void;
}

/** A unix datagram socket at the path, or in the abstract namespace with `@`. */
export function receiveUnixDatagrams(address: string): DatagramReceiver {
  const system = libc();
  const fd = checked(system.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), 'socket');
  const name = address.startsWith('@') ? `\0${address.slice(1)}` : `${address}\0`;
  const bytes = Buffer.concat([Buffer.from([AF_UNIX, 0]), Buffer.from(name)]);
  checked(system.bind(fd, bytes, bytes.length), 'bind', address);
  return {
    received() {
      const texts: string[] = [];
      const buffer = Buffer.alloc(4096);
      for (;;) {
        const length = system.recv(fd, buffer, buffer.length, MSG_DONTWAIT);
        if (length < 0) return texts;
        texts.push(buffer.subarray(0, length).toString());
      }
    },
    close() {
      system.close(fd);
      if (!address.startsWith('@')) fs.rmSync(address, { force: true });
    },
  };
}
