import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { MalformedMessage } from '../wire/protobuf.ts';
import { GrpcCode, GrpcError, grpcErrorOf } from '../wire/status.ts';
import { FrameReader } from './frames.ts';
import { StreamCall } from './stream-call.ts';

/** Takes a message and returns a framed one. */
type UnaryHandler = (request: Buffer) => Promise<Buffer>;
/** Runs as long as the stream; an error becomes the stream's status. */
type StreamHandler = (call: StreamCall) => Promise<void>;

export type Handler = { unary: UnaryHandler } | { stream: StreamHandler };
/** Service name to method name to handler. */
export type Services = Record<string, Record<string, Handler>>;

const CONTENT_TYPE = 'application/grpc';

/**
 * Serves gRPC calls on Node's HTTP/2 streams directly: a call is one POST whose body is framed messages and whose
 * status is in the trailers. etcd's clients need no more than that.
 */
export function serveGrpcStream(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  { services, maxMessageBytes }: { services: Services; maxMessageBytes: number },
): void {
  // A client that disconnects resets its streams.
  stream.on('error', () => {});
  // Node may emit a stream that has been reset already; responding to it would throw.
  if (isOver(stream)) return;
  if (headers[':method'] !== 'POST' || !String(headers['content-type']).startsWith(CONTENT_TYPE)) {
    stream.respond({ ':status': headers[':method'] === 'POST' ? 415 : 405 }, { endStream: true });
    return;
  }
  const handler = findHandler(services, String(headers[':path']));
  if (handler instanceof GrpcError) return refuse(stream, handler);
  const reader = new FrameReader({ maxMessageBytes, encoding: String(headers['grpc-encoding'] ?? 'identity') });
  if ('unary' in handler) answerUnary(stream, reader, handler.unary);
  else
    runStream(stream, reader, handler.stream).catch((error: unknown) =>
      stream.destroy(error instanceof Error ? error : undefined),
    );
}

function findHandler(services: Services, path: string): Handler | GrpcError {
  const slash = path.lastIndexOf('/');
  if (!path.startsWith('/') || slash < 1) {
    return new GrpcError(GrpcCode.UNIMPLEMENTED, `malformed method name: ${JSON.stringify(path)}`);
  }
  const service = path.slice(1, slash);
  const method = path.slice(slash + 1);
  const methods = Object.hasOwn(services, service) ? services[service] : undefined;
  if (methods === undefined) return new GrpcError(GrpcCode.UNIMPLEMENTED, `unknown service ${service}`);
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  return handler ?? new GrpcError(GrpcCode.UNIMPLEMENTED, `unknown method ${method} for service ${service}`);
}

function answerUnary(stream: ServerHttp2Stream, reader: FrameReader, handle: UnaryHandler): void {
  let answered = false;
  const fail = (error: unknown): void => {
    answered = true;
    refuse(stream, statusOf(error));
  };
  const take = (): void => {
    let request: Buffer | undefined;
    try {
      request = reader.next();
    } catch (error) {
      return fail(error);
    }
    if (request === undefined) return;
    answered = true;
    handle(request)
      .then((response) => respond(stream, response), fail)
      .catch(() => stream.destroy());
  };
  stream.on('data', (chunk: Buffer) => {
    // A unary call has one message; later ones are ignored.
    if (answered) return;
    reader.push(chunk);
    take();
  });
  stream.on('end', () => {
    if (!answered) fail(new GrpcError(GrpcCode.INTERNAL, reader.incomplete ? 'unexpected EOF' : 'EOF'));
  });
}

const isOver = (stream: ServerHttp2Stream): boolean => stream.destroyed || stream.closed;

function respond(stream: ServerHttp2Stream, response: Buffer): void {
  if (isOver(stream)) return;
  stream.respond({ ':status': 200, 'content-type': CONTENT_TYPE }, { waitForTrailers: true });
  stream.once('wantTrailers', () => {
    if (!isOver(stream)) stream.sendTrailers({ 'grpc-status': '0' });
  });
  stream.end(response);
}

async function runStream(stream: ServerHttp2Stream, reader: FrameReader, handle: StreamHandler): Promise<void> {
  const call = new StreamCall(stream, reader);
  stream.respond({ ':status': 200, 'content-type': CONTENT_TYPE }, { waitForTrailers: true });
  let status = new GrpcError(GrpcCode.OK, '');
  stream.once('wantTrailers', () => {
    if (!isOver(stream)) stream.sendTrailers(statusHeaders(status));
  });
  try {
    await handle(call);
  } catch (error) {
    status = statusOf(error);
  }
  call.finish();
}

function refuse(stream: ServerHttp2Stream, error: GrpcError): void {
  if (isOver(stream)) return;
  stream.respond({ ':status': 200, 'content-type': CONTENT_TYPE, ...statusHeaders(error) }, { endStream: true });
  // The rest of the request is not read.
  stream.close(constants.NGHTTP2_NO_ERROR);
}

function statusOf(error: unknown): GrpcError {
  if (error instanceof MalformedMessage) {
    return new GrpcError(GrpcCode.INTERNAL, `grpc: error unmarshalling request: ${error.message}`);
  }
  return grpcErrorOf(error);
}

function statusHeaders(error: GrpcError): Record<string, string> {
  const status = { 'grpc-status': String(error.code) };
  if (error.message === '') return status;
  // Percent-encoding of everything outside printable ASCII, and of the percent sign.
  const message = Array.from(Buffer.from(error.message), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
  return { ...status, 'grpc-message': message };
}
