/**
 * How a client reaches an API server: over HTTP, or by calling its request pipeline in this process. Both return parsed
 * objects; an in-process transport may return the server's own frozen ones, so callers never change what they receive.
 */
export interface Transport {
  /** Requests are calls of the API server's pipeline: there are no connections to spread over servers. */
  readonly isInProcess?: boolean;
  /**
   * Sends a request and returns the whole response, whatever its status. Rejects with a TransportError when there is
   * none.
   */
  request(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Opens a watch. Rejects with a StatusError when the server refuses it. The iteration ends when the server ends the
   * watch in order, throws a TransportError when the connection breaks, and throws the signal's reason when it aborts.
   */
  watch(request: TransportRequest): Promise<AsyncIterable<WatchEvent<unknown>>>;
  /** The response body as it arrives, for logs and other streams. */
  stream(request: TransportRequest): Promise<AsyncIterable<Uint8Array>>;
  /** Tells how long a request waited for the client's rate limiter. */
  limited?(method: string, seconds: number): void;
  /** Closes connections; requests in flight fail. */
  close(): Promise<void>;
}

export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  /** Without the query, percent-encoded where needed. */
  path: string;
  query?: Query;
  /** Names in lower case; several values of one header as a list. */
  headers?: Readonly<Record<string, string | readonly string[]>>;
  /** An object, or a string or bytes that are sent as they are with the given content-type. */
  body?: unknown;
  signal?: AbortSignal;
  /** The span of this process that sends the request. */
  cause?: number | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface TransportResponse {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Parsed when it is JSON, a string otherwise, undefined when there is none. */
  body: unknown;
}

export interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T;
}

/** There is no response, or only a part of one. The server may have acted on the request. */
export class TransportError extends Error {
  constructor(
    readonly code: 'connection-refused' | 'connection-lost' | 'truncated' | 'timeout' | 'malformed' | 'closed',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'TransportError';
  }
}

/** Shared by all requests without a query; it is never modified. */
const NO_PARAMETERS = new URLSearchParams();

/** Parameters that are undefined are left out. */
export function queryParameters(query: Query | undefined): URLSearchParams {
  let parameters = NO_PARAMETERS;
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    if (parameters === NO_PARAMETERS) parameters = new URLSearchParams();
    if (Array.isArray(value)) for (const item of value as readonly string[]) parameters.append(name, item);
    else parameters.append(name, String(value));
  }
  return parameters;
}

/** The query in the form of a URL, without the question mark. */
export function formatQuery(query: Query | undefined): string {
  return queryParameters(query).toString();
}
