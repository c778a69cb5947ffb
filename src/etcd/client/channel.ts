/** The connection to one member: opened when it is first used, and again after it was lost. */
import net from 'node:net';
import tls from 'node:tls';
import { errorMessage } from '../../base/index.ts';
import type { Clock, Timer } from '../../kernel/index.ts';
import { Http2ClientConnection, type ClientStream, type Head } from '../../net/http2/index.ts';
import { TlsTrust } from '../../net/tls/index.ts';
import { StoreError } from '../store.ts';
import { GrpcCode } from '../wire/status.ts';
import { CallError } from './call-error.ts';

/** Read at each connection: what was renewed is used then. */
export interface EtcdTls {
  /** CA bundle (PEM) that verifies the servers; the system's when absent. */
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
}

interface ChannelOptions {
  /** `http://host:port` or `https://host:port`, or without a scheme for plain text. */
  readonly endpoint: string;
  readonly tls: EtcdTls | undefined;
  readonly clock: Clock;
}

const WINDOW_BYTES = 16 * 1024 * 1024;
const LIMITS = {
  maxHeaderBytes: 64 * 1024,
  maxHeaderPairs: 200,
  streamWindow: WINDOW_BYTES,
  connectionWindow: 2 * WINDOW_BYTES,
  // Detects a dead peer within 8 s. etcd refuses clients that ping more often than every 5 s.
  keepAliveMs: 6000,
  keepAliveTimeoutMs: 2000,
};
const CONNECT_TIMEOUT_MS = 3000;
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1000;

type Waiter = (connection: Http2ClientConnection | CallError) => void;

export class Channel {
  readonly #clock: Clock;
  readonly #host: string;
  readonly #port: number;
  readonly #isSecure: boolean;
  readonly #tls: EtcdTls | undefined;
  readonly #heads = new Map<string, Head>();
  #connection: Http2ClientConnection | undefined;
  #connecting: net.Socket | undefined;
  #waiting: Waiter[] = [];
  /** Calls fail at once until then: the last attempt to connect has failed. */
  #retryAt = 0;
  #backoffMs = MIN_BACKOFF_MS;
  #lastFailure: CallError | undefined;
  #closed = false;

  constructor({ endpoint, tls: options, clock }: ChannelOptions) {
    const { scheme, host, port } = parseEndpoint(endpoint);
    this.#clock = clock;
    this.#host = host;
    this.#port = port;
    this.#isSecure = scheme === 'https';
    this.#tls = options;
    // What cannot be used is told at once.
    if (this.#isSecure) secureOptions(host, options);
  }

  /** A stream for a call; at once when the connection is there. */
  open(onStream: (stream: ClientStream) => void, onFailure: (error: CallError) => void): void {
    const connection = this.#connection;
    if (connection?.takesRequests) return onStream(connection.open());
    this.#wait((outcome) => {
      if (outcome instanceof CallError) return onFailure(outcome);
      if (outcome.takesRequests) return onStream(outcome.open());
      onFailure(new CallError(GrpcCode.UNAVAILABLE, 'the server takes no more requests', true));
    });
  }

  /** The head of every call of a method. It is one array per method, so that its encoding is cached. */
  head(path: string): Head {
    const known = this.#heads.get(path);
    if (known) return known;
    const head = [
      ...[':method', 'POST', ':scheme', this.#isSecure ? 'https' : 'http', ':path', path],
      ...[':authority', authority(this.#host, this.#port), 'content-type', 'application/grpc', 'te', 'trailers'],
      // A member without a leader refuses the call at once, so that the client tries another member.
      ...['user-agent', 'k8ts', 'hasleader', 'true'],
    ];
    this.#heads.set(path, head);
    return head;
  }

  close(): void {
    this.#closed = true;
    this.#connecting?.destroy();
    this.#connection?.destroy();
    this.#settle(new CallError(GrpcCode.UNAVAILABLE, 'the client is closed', true));
  }

  #wait(waiter: Waiter): void {
    if (this.#closed) return waiter(new CallError(GrpcCode.UNAVAILABLE, 'the client is closed', true));
    // A connection that allows no more streams for now, or that goes away, is replaced.
    if (!this.#connecting && this.#lastFailure && this.#clock.monotonic() < this.#retryAt)
      return waiter(this.#lastFailure);
    this.#waiting.push(waiter);
    if (!this.#connecting) this.#connect();
  }

  #connect(): void {
    const target = { host: this.#host, port: this.#port };
    const socket = this.#isSecure
      ? tls.connect({ ...target, ...secureOptions(this.#host, this.#tls) })
      : net.connect(target);
    this.#connecting = socket;
    socket.setNoDelay(true);
    let timer: Timer | undefined = this.#clock.after(CONNECT_TIMEOUT_MS, () =>
      socket.destroy(new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1000} s`)),
    );
    const failed = (error?: Error): void => {
      if (this.#connecting !== socket) return;
      timer?.cancel();
      this.#failed(error);
    };
    socket.once('error', failed).once('close', () => failed());
    socket.once(this.#isSecure ? 'secureConnect' : 'connect', () => {
      timer?.cancel();
      timer = undefined;
      if (this.#connecting !== socket) return;
      socket.removeListener('error', failed);
      this.#connected(socket);
    });
  }

  #connected(socket: net.Socket): void {
    this.#connecting = undefined;
    this.#backoffMs = MIN_BACKOFF_MS;
    this.#lastFailure = undefined;
    const connection: Http2ClientConnection = new Http2ClientConnection(
      socket,
      { ...LIMITS, clock: this.#clock },
      {
        goingAway: () => this.#forget(connection),
        closed: () => this.#forget(connection),
      },
    );
    this.#connection = connection;
    this.#settle(connection);
  }

  #forget(connection: Http2ClientConnection): void {
    if (this.#connection === connection) this.#connection = undefined;
  }

  #failed(error: Error | undefined): void {
    this.#connecting = undefined;
    this.#retryAt = this.#clock.monotonic() + this.#backoffMs;
    this.#backoffMs = Math.min(2 * this.#backoffMs, MAX_BACKOFF_MS);
    const reason = error ? errorMessage(error) : 'it was closed';
    this.#lastFailure = new CallError(
      GrpcCode.UNAVAILABLE,
      `No connection established to ${authority(this.#host, this.#port)}: ${reason}`,
      true,
    );
    this.#settle(this.#lastFailure);
  }

  #settle(outcome: Http2ClientConnection | CallError): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) waiter(outcome);
  }
}

const authority = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

const DEFAULT_PORTS = { http: 80, https: 443 };

function parseEndpoint(endpoint: string): { scheme: 'http' | 'https'; host: string; port: number } {
  const scheme = /^(https?):\/\//.exec(endpoint);
  const hasScheme = endpoint.includes('://');
  const url = hasScheme === (scheme !== null) ? tryUrl(scheme ? endpoint : `http://${endpoint}`) : undefined;
  if (!url || url.hostname === '')
    throw new StoreError(
      'unavailable',
      `${JSON.stringify(endpoint)} is not an etcd endpoint: it must be http://host:port or https://host:port`,
    );
  const name = url.protocol === 'https:' ? 'https' : 'http';
  return {
    scheme: name,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORTS[name] : Number(url.port),
  };
}

function tryUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function secureOptions(host: string, { ca, cert, key }: EtcdTls = {}): tls.ConnectionOptions {
  return {
    ...new TlsTrust({ ca: ca?.toString(), cert, key }).verifyingOptions(),
    ALPNProtocols: ['h2'],
    ...(net.isIP(host) ? {} : { servername: host }),
  };
}
