import type { TLSSocket } from 'node:tls';
import { goJsonText } from '../base/index.ts';
import type { Clock, MetricsRegistry, Tracer } from '../kernel/index.ts';
import { TlsTrust } from '../net/tls/index.ts';
import type { ClientConfig } from './client-config.ts';
import { connectionError } from './connection-error.ts';
import { errorFromResponse } from './errors.ts';
import type { HttpConnection, HttpResponse } from './http-connection.ts';
import { Http1Connection } from './http1-connection.ts';
import { Http2Connection } from './http2-connection.ts';
import { readJsonLines } from './json-lines.ts';
import { RequestMetrics } from './request-metrics.ts';
import {
  formatQuery,
  TransportError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WatchEvent,
} from './transport.ts';

/** A request of another program. */
interface ForwardedRequest extends Pick<TransportRequest, 'method' | 'headers' | 'signal' | 'cause'> {
  /** With the query. */
  readonly target: string;
  readonly body: Buffer | undefined;
}

/** Reaches an API server over the network: HTTP/2 where TLS negotiates it, HTTP/1.1 otherwise. */
export class HttpTransport implements Transport {
  readonly #config: ClientConfig;
  readonly #clock: Clock;
  readonly #tracer: Tracer | undefined;
  readonly #metrics: RequestMetrics | undefined;
  readonly #server: URL;
  readonly #basePath: string;
  #connection: Promise<HttpConnection> | undefined;
  #closed = false;

  constructor(options: {
    config: ClientConfig;
    clock: Clock;
    tracer?: Tracer | undefined;
    metrics?: MetricsRegistry | undefined;
  }) {
    this.#config = options.config;
    this.#clock = options.clock;
    this.#tracer = options.tracer;
    this.#server = new URL(options.config.server);
    if (this.#server.protocol !== 'https:' && this.#server.protocol !== 'http:') {
      throw new TransportError('malformed', `${options.config.server}: only http and https are supported`);
    }
    this.#metrics = options.metrics && new RequestMetrics(options.metrics, this.#server.host);
    this.#basePath = this.#server.pathname.replace(/\/$/, '');
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#send(request, 'application/json');
    const body = await readBody(response, request.signal, (bytes) => this.#metrics?.received(request.method, bytes));
    return { status: response.status, headers: response.headers, body };
  }

  async watch(request: TransportRequest): Promise<AsyncIterable<WatchEvent<unknown>>> {
    const response = await this.#send(request, 'application/json');
    if (response.status !== 200)
      throw errorFromResponse({ status: response.status, body: await readBody(response, request.signal) });
    return readJsonLines<WatchEvent<unknown>>(readPieces(response, request.signal));
  }

  async stream(request: TransportRequest): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#send(request, '*/*');
    if (response.status >= 400)
      throw errorFromResponse({ status: response.status, body: await readBody(response, request.signal) });
    return readPieces(response, request.signal);
  }

  /** Passes a request on as it is, as this client's user; nobody has read the response. */
  async forward(request: ForwardedRequest): Promise<HttpResponse> {
    const { target, ...rest } = request;
    return this.#send({ ...rest, path: target }, '*/*');
  }

  limited(method: string, seconds: number): void {
    this.#metrics?.waited(method, seconds);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#connection?.catch(() => undefined))?.close();
  }

  /** Retries once with fresh credentials after a 401. */
  async #send(request: TransportRequest, accept: string): Promise<HttpResponse> {
    const first = await this.#sendOnce(request, accept);
    if (first.status !== 401 || !this.#config.credentials.refused()) return first;
    first.body.resume();
    const connection = await this.#connection;
    if (connection instanceof Http2Connection) connection.renew();
    return this.#sendOnce(request, accept);
  }

  async #sendOnce(request: TransportRequest, accept: string): Promise<HttpResponse> {
    if (this.#closed) throw new TransportError('closed', 'the client was closed');
    const headers: Record<string, string | readonly string[]> = { accept, ...request.headers };
    if (request.cause) Object.assign(headers, this.#tracer?.headersOf(request.cause));
    const authorization = await this.#config.credentials.authorization();
    if (authorization !== undefined) headers['authorization'] = authorization;
    const body = encodeBody(request.body);
    if (body !== undefined) {
      headers['content-type'] ??= 'application/json';
      headers['content-length'] = String(body.length);
    }
    const query = formatQuery(request.query);
    const path = `${this.#basePath}${request.path}` || '/';
    const target = query === '' ? path : `${path}?${query}`;
    this.#connection ??= this.#connect();
    let connection: HttpConnection;
    try {
      connection = await this.#connection;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
    const sentAt = this.#clock.monotonic();
    try {
      const { method, signal } = request;
      const response = await connection.send({ method, path: target, headers, body, signal });
      const seconds = (this.#clock.monotonic() - sentAt) / 1000;
      this.#metrics?.sent({ verb: method, code: response.status, seconds, bytes: body?.length ?? 0 });
      return response;
    } catch (error) {
      this.#metrics?.failed(request.method);
      throw error;
    }
  }

  /** The first connection negotiates the HTTP version. */
  async #connect(): Promise<HttpConnection> {
    const trust = (): Promise<TlsTrust> => this.#trust();
    if (this.#server.protocol === 'http:') return new Http1Connection({ server: this.#server, trust });
    const first = await this.#connectTls();
    if (first.alpnProtocol === 'h2') {
      return new Http2Connection({
        server: this.#server,
        clock: this.#clock,
        connect: () => this.#connectTls(),
        first,
      });
    }
    first.destroy();
    return new Http1Connection({ server: this.#server, trust });
  }

  async #connectTls(): Promise<TLSSocket> {
    const trust = await this.#trust();
    const { hostname, port } = this.#server;
    const socket = await trust
      .connect({ host: hostname, port: Number(port || 443), alpnProtocols: ['h2', 'http/1.1'] })
      .catch((error: unknown) => {
        throw connectionError(error);
      });
    socket.setNoDelay(true);
    return socket;
  }

  /** Each connection uses the current client certificate. */
  async #trust(): Promise<TlsTrust> {
    const { ca, insecureSkipTlsVerify, tlsServerName, credentials } = this.#config;
    const certificate = await credentials.certificate();
    return new TlsTrust({ ca, insecureSkipVerify: insecureSkipTlsVerify, serverName: tlsServerName, ...certificate });
  }
}

function encodeBody(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Go's controllers compare the text of raw values, such as a revision's data, which a server keeps as it was sent.
  return Buffer.from(goJsonText(body));
}

async function readBody(
  response: HttpResponse,
  signal: AbortSignal | undefined,
  onSize?: (bytes: number) => void,
): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readPieces(response, signal)) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  onSize?.(bytes.length);
  const text = bytes.toString('utf8');
  if (text === '') return undefined;
  if (!(response.headers['content-type'] ?? '').includes('json')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new TransportError('malformed', 'the response is not JSON although its content type says so', {
      cause: error,
    });
  }
}

async function* readPieces(response: HttpResponse, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of response.body) yield piece as Buffer;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw connectionError(error);
  }
  signal?.throwIfAborted();
  if (!response.complete())
    throw new TransportError('connection-lost', 'the connection was lost in the middle of a response');
}
