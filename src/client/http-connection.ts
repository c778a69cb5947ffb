import type { Readable } from 'node:stream';

/** One way of exchanging HTTP requests with one server. */
export interface HttpConnection {
  /** Resolves when the answer's head has arrived. Rejects with a TransportError, or the signal's reason. */
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
  /** Asked after the body has ended: whether it ended where the server ended it. A lost connection can look the same. */
  complete(): boolean;
}

/** Headers with several values joined, in the one form that both HTTP versions can give. */
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
