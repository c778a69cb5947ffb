/** Connections from the node to its pods for probes and hooks, with the error messages of Go's dialer. */
import type net from 'node:net';
import { connectIn } from '../../net/netns/index.ts';

export type Dial = (host: string, port: number, signal: AbortSignal) => Promise<net.Socket>;

export class DialError extends Error {
  override readonly name = 'DialError';
  readonly code: string;

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    super(`dial tcp ${host.includes(':') ? `[${host}]` : host}:${port}: ${goText(cause)}`, { cause });
    this.code = cause.code ?? 'dial';
  }
}

const TEXTS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ECONNREFUSED: 'connect: connection refused',
    EHOSTUNREACH: 'connect: no route to host',
    ENETUNREACH: 'connect: network is unreachable',
    ETIMEDOUT: 'connect: connection timed out',
    ECONNRESET: 'connect: connection reset by peer',
  }),
);

const goText = (error: NodeJS.ErrnoException): string =>
  TEXTS.get(error.code ?? '') ??
  (error.name === 'AbortError' || error.name === 'DeadlineExceeded' ? 'i/o timeout' : error.message);

/** Dials from the network namespace of the node. */
export function nodeDialer(netns: string | undefined): Dial {
  return (host, port, signal) =>
    new Promise((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        signal.removeEventListener('abort', aborted);
        reject(new DialError(host, port, error));
      };
      let socket: net.Socket;
      const aborted = (): void => {
        socket?.destroy();
        failed(signal.reason as NodeJS.ErrnoException);
      };
      if (signal.aborted) return aborted();
      try {
        socket = connectIn({ netns, host, port });
      } catch (error) {
        return failed(error as NodeJS.ErrnoException);
      }
      signal.addEventListener('abort', aborted, { once: true });
      socket.once('error', failed);
      socket.once('connect', () => {
        signal.removeEventListener('abort', aborted);
        socket.off('error', failed);
        resolve(socket);
      });
    });
}
