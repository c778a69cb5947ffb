/** A request of this side and its response. */
import type { Head } from './hpack-encoder.ts';
import { fieldOf } from './request-head.ts';
import { Http2Stream, type StreamConnection } from './stream.ts';

const NO_FIELDS: readonly string[] = [];

export class ClientStream extends Http2Stream {
  /** Status and headers of the response, names and values alternating; empty until they arrive. */
  response: readonly string[] = NO_FIELDS;
  /** What followed the body; the same as `response` when there is no body. */
  trailers: readonly string[] = NO_FIELDS;
  /** The server has certainly not looked at the request: it can be sent again. */
  refused = false;

  constructor(id: number, sendWindow: number, connection: StreamConnection) {
    super(id, NO_FIELDS, { endStream: false, declaredBytes: NaN, sendWindow, answersEnd: false }, connection);
  }

  /** Sends the request's head, and its whole body unless more is to follow. */
  send(head: Head, body: Uint8Array, isWhole: boolean): void {
    this.begin(head, []);
    if (isWhole) this.end(body);
    else this.write(body);
  }

  /** Returns an error code when the response cannot go on. */
  receiveHead(fields: readonly string[], endStream: boolean): number {
    if (this.response.length === 0) this.response = fields;
    if (!endStream) return 0;
    this.trailers = fields;
    return this.receiveEnd();
  }

  get status(): string | undefined {
    return fieldOf(this.response, ':status');
  }

  trailer(name: string): string | undefined {
    return fieldOf(this.trailers, name);
  }
}
