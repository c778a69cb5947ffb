import { HTTP2_ERROR, type Head, type Http2Stream } from '../../net/http2/index.ts';
import { FrameReader } from '../wire/frames.ts';
import { MalformedMessage } from '../wire/protobuf.ts';
import { GrpcCode, GrpcError, grpcErrorOf } from '../wire/status.ts';
import { StreamCall } from './stream-call.ts';

/** A framed message, whole or in pieces; a piece is valid until the next one is asked for. */
export type UnaryResponse = Buffer | Iterator<Buffer, void>;
type UnaryHandler = (request: Buffer) => Promise<UnaryResponse>;
/** Runs as long as the stream; an error becomes the stream's status. */
type StreamHandler = (call: StreamCall) => Promise<void>;

export type Handler = { unary: UnaryHandler } | { stream: StreamHandler };
/** Service name to method name to handler. */
export type Services = Record<string, Record<string, Handler>>;

const CONTENT_TYPE = 'application/grpc';
const HEAD: Head = [':status', '200', 'content-type', CONTENT_TYPE];
const OK_TRAILERS: Head = ['grpc-status', '0'];

/**
 * Serves a gRPC call: one POST whose body is framed messages and whose status is in the trailers. etcd's clients need no more
 * than that.
 */
export function serveGrpcStream(
  stream: Http2Stream,
  { services, maxMessageBytes }: { services: Services; maxMessageBytes: number },
): void {
  const isPost = stream.field(':method') === 'POST';
  if (!isPost || !stream.field('content-type')?.startsWith(CONTENT_TYPE))
    return stream.answer([':status', isPost ? '415' : '405'], []);
  const handler = findHandler(services, stream.field(':path') ?? '');
  if (handler instanceof GrpcError) return refuse(stream, handler);
  const reader = new FrameReader({ maxMessageBytes, encoding: stream.field('grpc-encoding') ?? 'identity' });
  if ('unary' in handler) answerUnary(stream, reader, handler.unary);
  else runStream(stream, reader, handler.stream).catch(() => stream.reset(HTTP2_ERROR.internal));
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

function answerUnary(stream: Http2Stream, reader: FrameReader, handle: UnaryHandler): void {
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
      .catch(() => stream.reset(HTTP2_ERROR.internal));
  };
  stream.readPieces({
    data(bytes) {
      // A unary call has one message; later ones are ignored.
      if (answered) return;
      reader.push(bytes);
      take();
    },
    end() {
      if (!answered) fail(new GrpcError(GrpcCode.INTERNAL, reader.incomplete ? 'unexpected EOF' : 'EOF'));
    },
  });
}

function respond(stream: Http2Stream, response: UnaryResponse): void {
  stream.begin(HEAD, []);
  if (!Buffer.isBuffer(response)) return sendPieces(stream, response);
  stream.write(response);
  stream.endWithTrailers(OK_TRAILERS);
}

function sendPieces(stream: Http2Stream, pieces: Iterator<Buffer, void>): void {
  let sending = false;
  let sent = true;
  const onTaken = (): void => {
    sent = true;
    if (!sending) send();
  };
  const send = (): void => {
    sending = true;
    while (sent && !stream.closed) {
      const { done, value } = pieces.next();
      if (done) {
        stream.endWithTrailers(OK_TRAILERS);
        break;
      }
      sent = false;
      stream.write(value, onTaken);
    }
    sending = false;
  };
  send();
}

async function runStream(stream: Http2Stream, reader: FrameReader, handle: StreamHandler): Promise<void> {
  const call = new StreamCall(stream, reader);
  stream.begin(HEAD, []);
  let trailers = OK_TRAILERS;
  try {
    await handle(call);
  } catch (error) {
    trailers = statusHeaders(statusOf(error));
  }
  call.finish(trailers);
}

/** The status is in the headers where there is no message. The rest of the request is not read. */
function refuse(stream: Http2Stream, error: GrpcError): void {
  stream.begin(HEAD, statusHeaders(error), true);
}

function statusOf(error: unknown): GrpcError {
  if (error instanceof MalformedMessage) {
    return new GrpcError(GrpcCode.INTERNAL, `grpc: error unmarshalling request: ${error.message}`);
  }
  return grpcErrorOf(error);
}

function statusHeaders(error: GrpcError): Head {
  const status = ['grpc-status', String(error.code)];
  if (error.message === '') return status;
  // Percent-encoding of everything outside printable ASCII, and of the percent sign.
  const message = Array.from(Buffer.from(error.message), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
  return [...status, 'grpc-message', message];
}
