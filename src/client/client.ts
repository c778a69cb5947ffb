import type { PartialObjectMetadata } from '../api/generated/meta-v1.ts';
import type { CauseSource, Clock, TokenBucket } from '../kernel/index.ts';
import { builtIn, isBuiltIn, type BuiltInResource, type ObjectOf } from './built-in-resources.ts';
import { Deadlines } from './deadlines.ts';
import { errorFromResponse } from './errors.ts';
import { ResourceClient } from './resource-client.ts';
import {
  customResource,
  type ApiObject,
  type CustomResourceName,
  type Resource,
  type UntypedObject,
} from './resource.ts';
import {
  TransportError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WatchEvent,
} from './transport.ts';
import { withTimeout, type TimeLimit } from './with-timeout.ts';

/** The server ends requests after 60 s; an answer that has not come a little later will not come. */
const DEFAULT_REQUEST_TIMEOUT_MS = 65_000;
const MAX_ATTEMPTS = 10;
const CONNECTION_LOST_DELAY_MS = 1_000;

export interface ClientOptions {
  transport: Transport;
  clock: Clock;
  /** `kube-controller-manager/v1.36.0 (linux/amd64)`; its first part is the default field manager. */
  userAgent?: string;
  requestTimeoutMs?: number;
  /** Limits the requests of this client; default: none, the server's flow control decides. */
  limiter?: TokenBucket;
  impersonate?: Impersonation;
  /** What its user is doing when it sends a request. */
  causes?: Readonly<CauseSource>;
  /** Ends the requests that have no signal of their own. */
  signal?: AbortSignal;
}

export interface Impersonation {
  user: string;
  uid?: string;
  groups?: readonly string[];
}

/** Talks to one API server as one user. */
export class Client {
  readonly clock: Clock;
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #headers: Readonly<Record<string, string | readonly string[]>>;
  readonly #timeoutMs: number;
  readonly #deadlines: Deadlines;

  constructor(options: ClientOptions) {
    this.clock = options.clock;
    this.#timeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    this.#deadlines = new Deadlines(options.clock, this.#timeoutMs);
    this.#transport = options.transport;
    this.#options = options;
    const headers: Record<string, string | readonly string[]> = {};
    if (options.userAgent !== undefined) headers['user-agent'] = options.userAgent;
    if (options.impersonate !== undefined) {
      headers['impersonate-user'] = options.impersonate.user;
      if (options.impersonate.uid !== undefined) headers['impersonate-uid'] = options.impersonate.uid;
      if (options.impersonate.groups !== undefined) headers['impersonate-group'] = options.impersonate.groups;
    }
    this.#headers = headers;
  }

  /** Whether the API server is in this process. */
  get isInProcess(): boolean {
    return this.#transport.isInProcess ?? false;
  }

  /** The same client for one worker, whose requests name what it is doing as their cause. */
  causedBy(causes: Readonly<CauseSource>): Client {
    return new Client({ ...this.#options, causes });
  }

  /** The same client for a component that ends with the signal: so do its requests that have no signal of their own. */
  until(signal: AbortSignal): Client {
    return new Client({ ...this.#options, signal });
  }

  /**
   * By name for built-in resources (`v1/pods`), which have their types; by name (`example.com/v1/widgets`) or by
   * description for custom ones, with the type of their objects as a parameter.
   */
  resource<K extends BuiltInResource>(resource: K): ResourceClient<ObjectOf<K>>;
  resource<T extends ApiObject = UntypedObject>(resource: CustomResourceName): ResourceClient<T>;
  resource<T extends ApiObject>(resource: Resource<T>): ResourceClient<T>;
  resource(resource: string | Resource): ResourceClient<ApiObject> {
    if (typeof resource !== 'string') return new ResourceClient<ApiObject>(this, resource);
    return new ResourceClient<ApiObject>(this, isBuiltIn(resource) ? builtIn(resource) : customResource(resource));
  }

  /** The same resource as PartialObjectMetadata, for a fraction of the memory. */
  metadata(resource: Resource): ResourceClient<PartialObjectMetadata> {
    return new ResourceClient<PartialObjectMetadata>(this, resource as Resource<PartialObjectMetadata>, {
      metadataOnly: true,
    });
  }

  /**
   * Sends a request and returns its response; a failing status becomes a StatusError. The client retries when the
   * server says so (429, or 5xx with Retry-After), and GETs whose connection broke.
   */
  async request(request: TransportRequest): Promise<TransportResponse> {
    const signal = request.signal ?? this.#options.signal;
    for (let attempt = 1; ; attempt++) {
      await this.#limit(request.method, signal);
      let delay: number;
      try {
        const response = await this.#attempt(request, signal);
        if (response.status < 400) return response;
        const retryAfter = retryAfterMs(response);
        if (retryAfter === undefined || attempt >= MAX_ATTEMPTS) throw errorFromResponse(response);
        delay = retryAfter;
      } catch (error) {
        const again = error instanceof TransportError && error.code === 'connection-lost' && request.method === 'GET';
        if (!again || attempt >= MAX_ATTEMPTS) throw error;
        delay = CONNECTION_LOST_DELAY_MS;
      }
      await this.clock.sleep(delay, signal);
    }
  }

  /** Opens a watch; the timeout counts until the server has accepted it. */
  async watch(request: TransportRequest): Promise<AsyncIterable<WatchEvent<unknown>>> {
    await this.#limit(request.method, request.signal);
    return this.#transport.watch(this.#prepare(request));
  }

  async stream(request: TransportRequest): Promise<AsyncIterable<Uint8Array>> {
    await this.#limit(request.method, request.signal);
    return this.#transport.stream(this.#prepare(request));
  }

  /** Closes the transport. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async #limit(method: string, signal: AbortSignal | undefined): Promise<void> {
    const { limiter } = this.#options;
    if (limiter === undefined) return this.#transport.limited?.(method, 0);
    const startedAt = this.clock.monotonic();
    await limiter.take(signal);
    this.#transport.limited?.(method, (this.clock.monotonic() - startedAt) / 1000);
  }

  #attempt(request: TransportRequest, signal: AbortSignal | undefined): Promise<TransportResponse> {
    return withTimeout(
      {
        clock: this.#deadlines,
        ms: this.#timeoutMs,
        ...(signal ? { signal } : {}),
        what: () => `${request.method} ${request.path}`,
      },
      (limit) =>
        this.#transport.request(
          new LimitedRequest(request, this.#headersOf(request), request.cause ?? this.#options.causes?.span, limit),
        ),
    );
  }

  #prepare(request: TransportRequest): TransportRequest {
    const signal = request.signal ?? this.#options.signal;
    return { ...request, headers: this.#headersOf(request), ...(signal ? { signal } : {}) };
  }

  #headersOf(request: TransportRequest): TransportRequest['headers'] {
    return request.headers === undefined ? this.#headers : { ...this.#headers, ...request.headers };
  }
}

/** A request whose AbortSignal is created only when the transport reads it. */
class LimitedRequest implements TransportRequest {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly query: TransportRequest['query'];
  readonly body: unknown;
  readonly #limit: TimeLimit;

  constructor(
    request: TransportRequest,
    readonly headers: TransportRequest['headers'],
    readonly cause: number | undefined,
    limit: TimeLimit,
  ) {
    this.method = request.method;
    this.path = request.path;
    this.query = request.query;
    this.body = request.body;
    this.#limit = limit;
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }
}

function retryAfterMs(response: TransportResponse): number | undefined {
  if (response.status !== 429 && response.status < 500) return undefined;
  const seconds = Number(response.headers['retry-after']);
  return Number.isFinite(seconds) && response.headers['retry-after'] !== undefined
    ? Math.max(0, seconds) * 1000
    : undefined;
}
