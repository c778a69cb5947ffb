/** Socket addresses in the form of system calls. */
import { addressBytes } from '../../base/index.ts';

const AF_INET = 2;
const AF_INET6 = 10;

/** `struct sockaddr_in` or `sockaddr_in6`. */
export function socketAddress(host: string, port: number): Buffer {
  const bytes = addressBytes(host);
  if (bytes.length === 4) {
    const address = Buffer.alloc(16);
    address.writeUInt16LE(AF_INET, 0);
    address.writeUInt16BE(port, 2);
    bytes.copy(address, 4);
    return address;
  }
  const address = Buffer.alloc(28);
  address.writeUInt16LE(AF_INET6, 0);
  address.writeUInt16BE(port, 2);
  bytes.copy(address, 8);
  return address;
}
