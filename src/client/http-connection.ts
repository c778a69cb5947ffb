import type { Readable } from 'node:stream';

/** Sends HTTP requests to one server, over HTTP/1.1 or HTTP/2. */
export interface HttpConnection {
  /** Resolves with the response's headers. Rejects with a TransportError, or the signal's reason. */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

export interface HttpRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: Readonly<Record<string, string | readonly string[]>>;
  body?: Buffer;
  signal?: AbortSignal;
}

export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Fails with a TransportError when the connection breaks, and with the signal's reason when that aborts. */
  body: Readable;
  /** Whether the server ended the body. A lost connection can look like its end. */
  complete(): boolean;
}

/** Headers by name, with several values joined. */
export function plainHeaders(
  headers: Readonly<Record<string, string | string[] | number | undefined>>,
): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':'))
      plain[name] = Array.isArray(value) ? value.join(', ') : String(value);
  }
  return plain;
}
