import type http from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';

interface WebSocketUpgrade {
  readonly request: http.IncomingMessage;
  readonly socket: Duplex;
  /** What came after the request's headers. */
  readonly head: Buffer;
}

class HandshakeRefused extends Error {
  override readonly name = 'HandshakeRefused';
  readonly code = 'websocket-handshake-refused';
}

const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false });

/**
 * Answers the handshake with one protocol of those that the client offered; undefined names none. Rejects when the
 * client's handshake was broken: it has been answered with 400 then.
 *
 * The library never sees the offered protocols: it refuses names with a slash, such as kubectl's
 * `SPDY/3.1+portforward.k8s.io`.
 */
export function acceptWebSocket(
  { request, socket, head }: WebSocketUpgrade,
  protocol: string | undefined,
): Promise<WebSocket> {
  delete request.headers['sec-websocket-protocol'];
  return new Promise((resolve, reject) => {
    const refused = (): void => reject(new HandshakeRefused('the WebSocket handshake was refused'));
    socket.once('close', refused);
    const addProtocol = (headers: string[], of: http.IncomingMessage): void => {
      if (of === request && protocol !== undefined) headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
    };
    server.on('headers', addProtocol);
    try {
      server.handleUpgrade(request, socket, head, (connection) => {
        socket.off('close', refused);
        // A frame that breaks the protocol may have come with the handshake: nobody has listened for errors before this.
        connection.on('error', () => connection.terminate());
        resolve(connection);
      });
    } finally {
      server.off('headers', addProtocol);
    }
    // It was closed before the handshake: its `close` has been told of already.
    if (socket.destroyed) refused();
  });
}
