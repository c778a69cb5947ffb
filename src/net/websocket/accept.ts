import type http from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';

interface WebSocketUpgrade {
  readonly request: http.IncomingMessage;
  readonly socket: Duplex;
  /** The bytes after the request's headers. */
  readonly head: Buffer;
}

class HandshakeRefused extends Error {
  override readonly name = 'HandshakeRefused';
  readonly code = 'websocket-handshake-refused';
}

const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false });

/**
 * Answers the handshake with one of the protocols that the client offered; undefined selects none. Rejects when the
 * client's handshake was invalid, after the client got status 400. The library never sees the offered protocols: it
 * refuses names with a slash, such as kubectl's `SPDY/3.1+portforward.k8s.io`.
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
        // An invalid frame may have arrived with the handshake, before there was an error listener.
        connection.on('error', () => connection.terminate());
        resolve(connection);
      });
    } finally {
      server.off('headers', addProtocol);
    }
    // The socket was closed during the handshake, so its `close` event has already passed.
    if (socket.destroyed) refused();
  });
}
