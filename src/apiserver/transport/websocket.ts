/**
 * A watch over a WebSocket, for browsers: each event is a message of its own, text for JSON and binary for protobuf. The
 * client sends nothing; it ends the watch by closing.
 */
import { WebSocketServer, type WebSocket } from 'ws';
import { headerOf, type ApiRequest, type ApiResponse, type ResponseSink } from '../request.ts';

/** A browser shows its token as a subprotocol, which is no protocol that anybody speaks. */
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
const MAX_RECEIVED_BYTES = 64 * 1024;

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_RECEIVED_BYTES,
  handleProtocols: (protocols) => [...protocols].find((name) => !name.startsWith(TOKEN_PROTOCOL)) ?? false,
});

export const isWebSocketRequest = (request: ApiRequest): boolean =>
  request.upgrade !== undefined && headerOf(request, 'upgrade')?.toLowerCase() === 'websocket';

export interface MessageStream {
  /** Whether messages are text. */
  readonly text: boolean;
  /** What precedes the message in each piece that is written: the length of a protobuf frame. */
  readonly prefixBytes: number;
  /** Must not fail; ends with the sink's signal. */
  run(sink: ResponseSink): Promise<void>;
}

/** Takes the connection over. */
export function streamOverWebSocket(request: ApiRequest, stream: MessageStream): ApiResponse {
  const { rawRequest, socket, head } = request.upgrade!;
  server.handleUpgrade(rawRequest, socket, head, (connection) => {
    connection.on('error', () => connection.terminate());
    void stream.run(sinkOf(connection, request.signal, stream)).finally(() => connection.close());
  });
  return { status: 101, headers: {}, hijacked: true };
}

function sinkOf(connection: WebSocket, signal: AbortSignal, { text, prefixBytes }: MessageStream): ResponseSink {
  return {
    signal,
    write(piece) {
      if (connection.readyState !== connection.OPEN) return false;
      const message = typeof piece === 'string' ? Buffer.from(piece) : piece;
      connection.send(message.subarray(prefixBytes), { binary: !text });
      return true;
    },
    drained: () => Promise.resolve(),
    get pending() {
      return connection.bufferedAmount;
    },
  };
}
