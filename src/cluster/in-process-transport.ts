/**
 * A client transport that calls the API server's pipeline in this process, with its own user, without sockets and
 * serialization. Responses are the watch cache's frozen objects.
 */
import type { ApiRequest, ApiResponse, FrameSink, ResponseSink, UserInfo, WatchedObject } from '../apiserver/index.ts';
import {
  errorFromResponse,
  queryParameters,
  readJsonLines,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WatchEvent,
} from '../client/index.ts';
import type { KubeObject } from '../machinery/index.ts';

export interface InProcessOptions {
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
  readonly user: UserInfo;
  readonly signal: AbortSignal;
}

export const inProcessTransport = ({ user, ...server }: InProcessOptions): Transport =>
  inProcessTransports(server)(user);

/** Transports of many users, such as the kubelets of thousands of nodes, that end together. */
export function inProcessTransports(server: Omit<InProcessOptions, 'user'>): (user: UserInfo) => Transport {
  const pending = new PendingRequests(server.signal);
  return (user) => transportOf({ ...server, user }, pending);
}

function transportOf(options: InProcessOptions, pending: PendingRequests): Transport {
  return {
    isInProcess: true,
    async request(request) {
      const response = await pending.await(options.handle(new InProcessRequest(options, request)));
      return toTransportResponse(response.stream ? await collected(response, options.signal) : response);
    },
    async watch(request) {
      const response = await pending.await(options.handle(new InProcessRequest(options, request)));
      const { result, stream } = response;
      if (result?.type !== 'watch') {
        if (stream === undefined) throw errorFromResponse(toTransportResponse(response));
        // An aggregated API server answers in bytes.
        if (response.status !== 200)
          throw errorFromResponse(toTransportResponse(await collected(response, options.signal)));
        const signal = request.signal ? AbortSignal.any([request.signal, options.signal]) : options.signal;
        return readJsonLines<WatchEvent<unknown>>(chunksOf(stream, signal));
      }
      const events = new EventBuffer(request.signal ? [request.signal, options.signal] : [options.signal]);
      void result.deliver(events).then(
        () => events.end(),
        (error: unknown) => events.end(error),
      );
      return events;
    },
    async stream(request) {
      const response = await pending.await(options.handle(new InProcessRequest(options, request, { asBytes: true })));
      if (response.status >= 400) throw errorFromResponse(toTransportResponse(response));
      const signal = request.signal ? AbortSignal.any([request.signal, options.signal]) : options.signal;
      return response.stream ? chunksOf(response.stream, signal) : singleChunk(Buffer.from(response.body ?? ''));
    },
    close: () => Promise.resolve(),
  };
}

/** A client's request as the pipeline sees it. The body's bytes and the joined signal are created only when read. */
class InProcessRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ApiRequest['headers'];
  readonly object?: KubeObject;
  readonly patch?: unknown;
  readonly inProcess: true | undefined;
  readonly cause: number | undefined;
  readonly user: UserInfo;
  readonly remoteAddress = '127.0.0.1';
  readonly #request: TransportRequest;
  readonly #ended: AbortSignal;

  constructor({ user, signal }: InProcessOptions, request: TransportRequest, options: { asBytes?: boolean } = {}) {
    const { body, headers, method } = request;
    this.method = method;
    this.path = request.path;
    this.query = queryParameters(request.query);
    this.headers =
      body === undefined || headers?.['content-type'] !== undefined
        ? (headers ?? {})
        : { ...headers, 'content-type': 'application/json' };
    if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) {
      if (method === 'PATCH') this.patch = definedOnly(body);
      else this.object = body as KubeObject;
    }
    this.inProcess = options.asBytes ? undefined : true;
    this.user = user;
    this.cause = request.cause;
    this.#request = request;
    this.#ended = signal;
  }

  readBody(): Promise<Buffer> {
    return Promise.resolve(bodyBytes(this.#request.body));
  }

  get signal(): AbortSignal {
    const { signal } = this.#request;
    return signal ? AbortSignal.any([signal, this.#ended]) : this.#ended;
  }
}

/** The value that its JSON text would parse to: undefined members are left out. */
function definedOnly(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => definedOnly(item) ?? null);
  const defined: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = definedOnly((value as Record<string, unknown>)[key]);
    if (member !== undefined) defined[key] = member;
  }
  return defined;
}

/** Rejects requests in flight when the signal aborts, and later ones: a stopped server does not answer any more. */
class PendingRequests {
  readonly #rejections = new Set<(error: unknown) => void>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#rejectAll(), { once: true });
  }

  await<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#signal.aborted) reject(this.#signal.reason as Error);
      this.#rejections.add(reject);
      work.then(
        (result) => {
          this.#rejections.delete(reject);
          resolve(result);
        },
        (error: unknown) => {
          this.#rejections.delete(reject);
          reject(error as Error);
        },
      );
    });
  }

  #rejectAll(): void {
    for (const reject of this.#rejections) reject(this.#signal.reason);
  }
}

function bodyBytes(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body as string);
  return Buffer.from(JSON.stringify(body));
}

function toTransportResponse({ status, headers, body, result }: ApiResponse): TransportResponse {
  const names = joinedHeaders(headers);
  switch (result?.type) {
    case 'entry':
      return { status, headers: names, body: result.entry.object };
    case 'object':
      return { status, headers: names, body: result.object };
    case 'list': {
      const { served, entries, resourceVersion, continueToken, remainingItemCount } = result;
      const metadata = {
        resourceVersion,
        ...(continueToken ? { continue: continueToken } : {}),
        ...(remainingItemCount ? { remainingItemCount } : {}),
      };
      return {
        status,
        headers: names,
        body: {
          kind: served.listKind,
          apiVersion: served.group === '' ? served.version : `${served.group}/${served.version}`,
          metadata,
          items: entries.map((e) => e.object),
        },
      };
    }
    default:
      return { status, headers: names, body: parseBody(body) };
  }
}

function joinedHeaders(headers: ApiResponse['headers']): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined)
      joined[name] = typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : String(value);
  }
  return joined;
}

function parseBody(body: Buffer | string | undefined): unknown {
  const text = body?.toString() ?? '';
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

async function* singleChunk(chunk: Uint8Array): AsyncIterable<Uint8Array> {
  if (chunk.length > 0) yield chunk;
}

/** Collects a streamed response. */
async function collected(response: ApiResponse, signal: AbortSignal): Promise<ApiResponse> {
  const pieces: Uint8Array[] = [];
  for await (const piece of chunksOf(response.stream!, signal)) pieces.push(piece);
  return { status: response.status, headers: response.headers, body: Buffer.concat(pieces) };
}

/** The chunks that the server writes; it waits until the reader has taken them. */
async function* chunksOf(stream: NonNullable<ApiResponse['stream']>, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const stopped = new AbortController();
  let queue: Buffer[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  let drained: (() => void)[] = [];
  const sink: ResponseSink = {
    write(piece) {
      queue.push(Buffer.from(piece));
      wake?.();
      return false;
    },
    drained: () => new Promise((resolve) => drained.push(resolve)),
    get pending() {
      return queue.reduce((bytes, piece) => bytes + piece.length, 0);
    },
    signal: AbortSignal.any([signal, stopped.signal]),
  };
  const release = (): void => {
    for (const resolve of drained) resolve();
    drained = [];
  };
  sink.signal.addEventListener('abort', () => wake?.(), { once: true });
  const running = stream(sink).finally(() => {
    ended = true;
    wake?.();
  });
  running.catch(() => undefined);
  try {
    for (;;) {
      const pieces = queue;
      queue = [];
      yield* pieces;
      release();
      if (queue.length > 0) continue;
      if (ended || sink.signal.aborted) break;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    if (!sink.signal.aborted) await running;
  } finally {
    stopped.abort();
    release();
  }
}

/** Without a reason every abort would make a DOMException, with a stack trace that nobody reads. */
const READER_STOPPED = new Error('the reader of the watch has stopped');

/** With this many events waiting, the server stops delivering until the reader has taken them. */
const MAX_WAITING_EVENTS = 4096;

/** Buffers events for the reader. A reader that is far behind leaves its events in the watch cache. */
class EventBuffer implements FrameSink<WatchedObject>, AsyncIterable<WatchEvent<unknown>> {
  #queue: WatchedObject[] = [];
  /** The index of the next event. */
  #head = 0;
  #wake: (() => void) | undefined;
  #drained: (() => void) | undefined;
  #ended = false;
  #error: unknown;
  readonly #readerStopped = new AbortController();
  /** Ends the server's side of the watch: with the caller, with the server, or when the reader stops. */
  readonly signal: AbortSignal;

  constructor(signals: readonly AbortSignal[]) {
    this.signal = AbortSignal.any([...signals, this.#readerStopped.signal]);
    if (this.signal.aborted) this.end();
    else this.signal.addEventListener('abort', () => this.end(), { once: true });
  }

  write(event: WatchedObject): boolean {
    this.#queue.push(event);
    this.#wake?.();
    return this.#queue.length < MAX_WAITING_EVENTS;
  }

  drained(): Promise<void> {
    if (this.#ended || this.#queue.length < MAX_WAITING_EVENTS) return Promise.resolve();
    return new Promise((resolve) => (this.#drained = resolve));
  }

  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = this.signal.aborted ? this.signal.reason : error;
    // A signal that joins others is kept as long as these, with its listeners, unless it is aborted itself.
    this.#readerStopped.abort(READER_STOPPED);
    this.#wake?.();
    this.#drained?.();
  }

  /** Not a generator, which would take several microtasks for each event of each watcher. */
  [Symbol.asyncIterator](): AsyncIterator<WatchEvent<unknown>> {
    return {
      next: () => this.#next(),
      return: () => {
        this.#readerStopped.abort(READER_STOPPED);
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  #next(): Promise<IteratorResult<WatchEvent<unknown>>> {
    const event = this.#queue[this.#head];
    if (event !== undefined) {
      this.#head++;
      return Promise.resolve({ value: event as WatchEvent<unknown>, done: false });
    }
    this.#queue = [];
    this.#head = 0;
    this.#drained?.();
    if (!this.#ended) return new Promise<void>((resolve) => (this.#wake = resolve)).then(() => this.#next());
    if (this.#error) return Promise.reject(this.#error as Error);
    return Promise.resolve({ value: undefined, done: true });
  }
}
