import http2 from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Clock, Timer } from '../kernel/index.ts';
import { connectionError } from './connection-error.ts';
import { plainHeaders, type HttpConnection, type HttpRequest, type HttpResponse } from './http-connection.ts';
import { TransportError } from './transport.ts';

/** A connection whose peer does not answer a ping in time is dead, whatever TCP believes. */
const PING_INTERVAL_MS = 30_000;
const PING_TIMEOUT_MS = 15_000;
const ASSUMED_MAX_STREAMS = 100;

interface Session {
  http2: http2.ClientHttp2Session;
  streams: number;
  /** The server has sent GOAWAY, or credentials have changed. */
  draining: boolean;
}

/** HTTP/2: all requests and watches share a few connections. */
export class Http2Connection implements HttpConnection {
  readonly #server: URL;
  readonly #clock: Clock;
  readonly #connect: () => Promise<TLSSocket>;
  readonly #sessions = new Set<Session>();
  #opening: Promise<Session> | undefined;
  #closed = false;

  /** `first` is a connected socket that has negotiated h2; `connect` opens further ones. */
  constructor(options: { server: URL; clock: Clock; connect: () => Promise<TLSSocket>; first?: TLSSocket }) {
    this.#server = options.server;
    this.#clock = options.clock;
    this.#connect = options.connect;
    if (options.first !== undefined) this.#add(options.first);
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const session = await this.#session();
    const { signal } = request;
    signal?.throwIfAborted();
    const headers = {
      ':method': request.method,
      ':path': request.path,
      ...request.headers,
    } as http2.OutgoingHttpHeaders;
    const stream = session.http2.request(headers, { endStream: request.body === undefined });
    session.streams++;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        stream.close(http2.constants.NGHTTP2_CANCEL);
        stream.destroy(asError(signal?.reason));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      stream.on('error', (error) => reject(signal?.aborted ? signal.reason : connectionError(error)));
      stream.on('close', () => {
        session.streams--;
        signal?.removeEventListener('abort', onAbort);
        reject(new TransportError('connection-lost', 'the connection was closed before an answer came'));
      });
      stream.on('response', (answer) => {
        resolve({
          status: Number(answer[':status']),
          headers: plainHeaders(answer),
          body: stream,
          complete: () => stream.rstCode === http2.constants.NGHTTP2_NO_ERROR,
        });
      });
      if (request.body !== undefined) stream.end(request.body);
    });
  }

  /** New requests use new connections with fresh credentials; requests in flight continue. */
  renew(): void {
    for (const session of this.#sessions) {
      session.draining = true;
      session.http2.close();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      Array.from(this.#sessions, ({ http2: session }) => {
        if (session.destroyed) return Promise.resolve();
        const closed = new Promise<void>((resolve) => session.once('close', resolve));
        session.destroy(new TransportError('closed', 'the client was closed'), http2.constants.NGHTTP2_CANCEL);
        return closed;
      }),
    );
  }

  async #session(): Promise<Session> {
    if (this.#closed) throw new TransportError('closed', 'the client was closed');
    for (const session of this.#sessions) {
      const limit = session.http2.remoteSettings?.maxConcurrentStreams ?? ASSUMED_MAX_STREAMS;
      if (!session.draining && !session.http2.destroyed && session.streams < limit) return session;
    }
    this.#opening ??= this.#connect()
      .then((socket) => this.#add(socket))
      .finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  #add(socket: TLSSocket): Session {
    const http2Session = http2.connect(this.#server, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    const session: Session = { http2: http2Session, streams: 0, draining: false };
    this.#sessions.add(session);
    const keepAlive = this.#keepAlive(session);
    http2Session.on('goaway', () => (session.draining = true));
    /** Every stream reports its own failure; without this listener a session error would end the process. */
    http2Session.on('error', () => {});
    http2Session.on('close', () => {
      keepAlive.cancel();
      this.#sessions.delete(session);
    });
    return session;
  }

  #keepAlive(session: Session): Timer {
    return this.#clock.every(PING_INTERVAL_MS, () => {
      if (session.streams === 0 || session.http2.destroyed) return;
      const timeout = this.#clock.after(PING_TIMEOUT_MS, () => {
        session.http2.destroy(new TransportError('timeout', `no answer to a ping within ${PING_TIMEOUT_MS} ms`));
      });
      session.http2.ping(() => timeout.cancel());
    });
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
