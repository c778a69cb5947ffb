/** Opens connections to permitted targets: plain, over TLS, or to a server in this process. */
import net, { type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../kernel/index.ts';
import type { PermittedTarget } from './target.ts';

interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly lookup?: LookupFunction;
}

export interface DialerOptions {
  /** Opens a TCP connection, which emits "connect" or "error". Tests replace the network with it. */
  readonly open?: (endpoint: Endpoint) => net.Socket;
}

const CONNECT_TIMEOUT_MS = 30_000;

export class Dialer {
  readonly #options: DialerOptions;

  constructor(
    readonly clock: Clock,
    options: DialerOptions = {},
  ) {
    this.#options = options;
  }

  /** Resolves when the connection is ready for HTTP/1.1. The caller must close it. */
  async connect(target: PermittedTarget, signal?: AbortSignal): Promise<Duplex> {
    if (target.connect) return target.connect();
    const { host, port, permit } = target;
    const { lookup, checkPeer } = permit.checks;
    const socket = (this.#options.open ?? openSocket)({ host, port, ...(lookup ? { lookup } : {}) });
    let reason: Error | undefined;
    const abandon = (error: Error): void => {
      reason = error;
      socket.destroy();
    };
    const timer = this.clock.after(CONNECT_TIMEOUT_MS, () => abandon(timeoutError(target)));
    const abort = (): void => abandon(abortError(signal));
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await connected(socket);
      if (!target.tls) return socket;
      const secured = await target.tls.connect({ host, port, socket, signal });
      checkPeer?.(secured.getPeerCertificate());
      return secured;
    } catch (error) {
      socket.destroy();
      throw reason ?? error;
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', abort);
    }
  }
}

const openSocket = (endpoint: Endpoint): net.Socket => net.connect({ ...endpoint, noDelay: true, keepAlive: true });

function connected(socket: net.Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      socket.off('error', settle).off('close', closed).off('connect', done);
      if (error) {
        // Ignore further errors of the abandoned connection.
        socket.on('error', () => undefined);
        reject(error);
      } else resolve();
    };
    const closed = (): void =>
      settle(Object.assign(new Error('the connection was closed before it was ready'), { code: 'ECONNRESET' }));
    const done = (): void => settle();
    socket.once('error', settle).once('close', closed).once('connect', done);
  });
}

const timeoutError = ({ host, port }: PermittedTarget): Error =>
  Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT', address: host, port });

const abortError = (signal: AbortSignal | undefined): Error =>
  signal?.reason instanceof Error ? signal.reason : new Error('the request was canceled');
