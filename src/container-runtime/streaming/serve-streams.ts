/** One upgraded connection, from its first byte to its last. */
import type http from 'node:http';
import type { Duplex } from 'node:stream';
import type { RuntimeParts } from '../runtime-parts.ts';
import type { StreamRequest } from './streaming-server.ts';

export interface Upgrade {
  readonly request: http.IncomingMessage;
  readonly socket: Duplex;
  /** What came after the request's headers. */
  readonly head: Buffer;
}

export async function serveStreams(_parts: RuntimeParts, { kind }: StreamRequest, { socket }: Upgrade): Promise<void> {
  socket.end(`HTTP/1.1 501 Not Implemented\r\nconnection: close\r\ncontent-length: 0\r\nx-stream: ${kind}\r\n\r\n`);
}
