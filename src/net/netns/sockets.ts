/** Sockets in another network namespace, as Node's own servers and sockets. */
import dgram from 'node:dgram';
import net from 'node:net';
import { checked, libc } from './libc.ts';
import { inNetns } from './namespace.ts';
import { socketAddress } from './socket-address.ts';

const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const IPPROTO_IP = 0;
const IP_FREEBIND = 15;
const IPV6_FREEBIND = 78;

interface ListenAddress {
  /** The pinned namespace; undefined is the process's own. */
  readonly netns: string | undefined;
  /** A literal address. "::" without `ipv6Only` serves both families. */
  readonly host: string;
  readonly port: number;
  readonly ipv6Only?: boolean;
  /** Listens on an address that the namespace does not have (yet). */
  readonly freeBind?: boolean;
}

/**
 * Makes a server (net, tls, http, https, http2) listen inside a namespace; resolves when it does. `address()` returns
 * its port.
 */
export function listenIn(server: net.Server, address: ListenAddress): Promise<void> {
  const fd = boundSocket(address, SOCK_STREAM);
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      libc().close(fd);
      reject(withAddress(error, address));
    };
    server.once('error', failed);
    server.listen({ fd, exclusive: true }, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

/** A UDP socket bound inside a namespace. */
export function datagramIn(address: ListenAddress): Promise<dgram.Socket> {
  const fd = boundSocket(address, SOCK_DGRAM);
  const socket = dgram.createSocket({ type: net.isIPv6(address.host) ? 'udp6' : 'udp4' });
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      libc().close(fd);
      reject(error);
    };
    socket.once('error', failed);
    socket.bind({ fd, exclusive: true }, () => {
      socket.off('error', failed);
      resolve(socket);
    });
  });
}

function boundSocket({ netns, host, port, ipv6Only, freeBind }: ListenAddress, type: number): number {
  const system = libc();
  const v6 = net.isIPv6(host);
  const family = v6 ? AF_INET6 : AF_INET;
  const address = socketAddress(host, port);
  const fd = checked(
    inNetns(netns, () => system.socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
    'socket',
  );
  try {
    const set = (level: number, name: number, value: number): void => {
      checked(system.setsockopt(fd, level, name, int32(value), 4), 'setsockopt');
    };
    // For UDP it would let two servers share a port, and only one would receive packets.
    if (type === SOCK_STREAM) set(SOL_SOCKET, SO_REUSEADDR, 1);
    if (v6) set(IPPROTO_IPV6, IPV6_V6ONLY, ipv6Only === true ? 1 : 0);
    if (freeBind) set(v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_FREEBIND : IP_FREEBIND, 1);
    checked(system.bind(fd, address, address.length), 'bind', `${host}:${port}`);
    return fd;
  } catch (error) {
    system.close(fd);
    throw withAddress(error as Error, { host, port });
  }
}

/** Node's errors have the address, too, unless a server is given a file descriptor. */
const withAddress = (error: Error, { host, port }: Pick<ListenAddress, 'host' | 'port'>): Error =>
  Object.assign(error, { address: host, port });

interface ConnectAddress {
  readonly netns: string | undefined;
  /** A literal address: callers resolve names. */
  readonly host: string;
  readonly port: number;
  readonly localAddress?: string;
  readonly signal?: AbortSignal;
}

/**
 * A connection from inside a namespace, to be used like that of `net.connect`: "connect" or "error" follows. For an
 * HTTP agent: `createConnection: (options) => connectIn({ netns, … })`.
 */
export function connectIn({ netns, host, port, localAddress, signal }: ConnectAddress): net.Socket {
  const family = net.isIP(host);
  if (family === 0) throw new Error(`${host} is not an IP address`);
  return inNetns(netns, () =>
    net.connect({
      // Node opens the socket in the callback of the lookup; a synchronous lookup keeps that inside the namespace.
      host: 'in-namespace',
      lookup: (_name, _options, callback) => callback(null, host, family),
      family,
      autoSelectFamily: false,
      port,
      ...(localAddress === undefined ? {} : { localAddress }),
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32LE(value);
  return buffer;
}
