/**
 * Watches and logs over WebSockets, for browsers. Each event of a watch is one message, text for JSON and binary for
 * protobuf; the bytes of a log come as they are read, or in base64. The client sends nothing; it ends by closing.
 */
import { WebSocketServer, type WebSocket } from 'ws';
import { headerOf, type ApiRequest, type ApiResponse, type ResponseSink } from './request.ts';
import type { Sending } from './request.ts';
import { HIGH_WATER_BYTES, LOW_WATER_BYTES } from './water-marks.ts';

/** Browsers send their token as a subprotocol, which must not be selected. */
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

interface MessageStream {
  /** Whether messages are text. */
  readonly text: boolean;
  /** The bytes before the message in each piece: the length of a protobuf frame. */
  readonly prefixBytes: number;
  /** Whether messages are base64. */
  readonly base64?: boolean;
  /** Whether an empty message tells the client that the connection is established. */
  readonly greets?: boolean;
  /** Must not reject; ends with the sink's signal. */
  run(sink: ResponseSink): Promise<void>;
}

/** Hijacks the connection. */
export function streamOverWebSocket(request: ApiRequest, stream: MessageStream): ApiResponse {
  const { rawRequest, socket, head } = request.upgrade!;
  server.handleUpgrade(rawRequest, socket, head, (connection) => {
    connection.on('error', () => connection.terminate());
    if (stream.greets) connection.send('', { binary: !stream.text });
    const sending = request.beginSending?.(() => connection.terminate());
    connection.once('close', () => sending?.finished());
    void stream.run(sinkOf(connection, { signal: request.signal, stream, sending })).finally(() => connection.close());
  });
  return { status: 101, headers: {}, hijacked: true };
}

interface Messages {
  readonly signal: AbortSignal;
  readonly stream: MessageStream;
  readonly sending: Sending | undefined;
}

/** The subprotocols of logs, and whether each one is base64; '' is a client that asks for none. */
const LOG_PROTOCOLS: ReadonlyMap<string, boolean> = new Map([
  ['', false],
  ['binary.k8s.io', false],
  ['base64.binary.k8s.io', true],
]);

/** Hijacks the connection; a client that offers unknown subprotocols only is refused. */
export function copyOverWebSocket(request: ApiRequest, run: (sink: ResponseSink) => Promise<void>): ApiResponse {
  const offered = (headerOf(request, 'sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  const wanted = offered.find((name) => !name.startsWith(TOKEN_PROTOCOL)) ?? '';
  const base64 = LOG_PROTOCOLS.get(wanted);
  if (base64 === undefined)
    return {
      status: 403,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: Buffer.from(`requested protocol(s) are not supported: [${offered.join(' ')}]`),
    };
  return streamOverWebSocket(request, { text: base64, base64, prefixBytes: 0, greets: true, run });
}

function sinkOf(
  connection: WebSocket,
  { signal, stream: { text, prefixBytes, base64 }, sending }: Messages,
): ResponseSink {
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  connection.once('close', wake);
  return {
    signal,
    write(piece) {
      if (connection.readyState !== connection.OPEN) return false;
      const { length } = piece;
      const message = typeof piece === 'string' ? Buffer.from(piece) : piece;
      sending?.wrote(length);
      const content = message.subarray(prefixBytes);
      connection.send(base64 ? content.toString('base64') : content, { binary: !text }, () => {
        sending?.took(length);
        if (connection.bufferedAmount <= LOW_WATER_BYTES) wake();
      });
      return connection.bufferedAmount <= HIGH_WATER_BYTES;
    },
    drained: () =>
      connection.readyState === connection.OPEN && connection.bufferedAmount > LOW_WATER_BYTES
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(),
    get pending() {
      return connection.bufferedAmount;
    },
  };
}
