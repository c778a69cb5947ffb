/** Classes of IP addresses, as in Go's net package: loopback, link-local, multicast and so on. */
import { formatIp, type IpAddress } from './ip.ts';

export const isUnspecified = ({ bytes }: IpAddress): boolean => bytes.every((byte) => byte === 0);

export const isLoopback = (ip: IpAddress): boolean => (ip.family === 4 ? ip.bytes[0] === 127 : formatIp(ip) === '::1');

const isMulticast = ({ bytes, family }: IpAddress): boolean =>
  family === 4 ? (bytes[0]! & 0xf0) === 0xe0 : bytes[0] === 0xff;

export const isLinkLocalUnicast = ({ bytes, family }: IpAddress): boolean =>
  family === 4 ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;

export const isLinkLocalMulticast = ({ bytes, family }: IpAddress): boolean =>
  family === 4
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 0x02;

const isBroadcast = ({ bytes, family }: IpAddress): boolean => family === 4 && bytes.every((byte) => byte === 255);

export const isGlobalUnicast = (ip: IpAddress): boolean =>
  !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip) && !isBroadcast(ip);
