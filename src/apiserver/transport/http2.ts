import http2 from 'node:http2';
import { requestEntityTooLarge } from '../../machinery/status.ts';
import type { ApiRequest, ApiResponse, ResponseSink } from '../request.ts';
import { bodyReader } from './body.ts';
import { separateIdentityHeaders } from './identity-headers.ts';
import { peerCertificateOf } from './peer-certificate.ts';
import type { StreamSignals } from './stream-signals.ts';
import { splitTarget } from './target.ts';

export interface Http2Head {
  readonly headers: http2.IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly raw: readonly string[];
}

export function requestFromHttp2(stream: http2.ServerHttp2Stream, { headers, raw }: Http2Head, signals: StreamSignals, maxBodyBytes: number): ApiRequest {
  const peerCertificate = peerCertificateOf(stream.session?.socket);
  let signal: AbortSignal | undefined;
  stream.on('error', () => {});
  const request: ApiRequest = {
    method: headers[':method'] ?? 'GET',
    ...splitTarget(headers[':path'] ?? '/'),
    headers: separateIdentityHeaders(headers, raw),
    remoteAddress: stream.session?.socket?.remoteAddress ?? '',
    readBody: bodyReader(stream, headers['content-encoding'], maxBodyBytes, requestEntityTooLarge),
    // Most requests never look at their signal; it is made for those that do.
    get signal() {
      signal ??= signals.of(stream);
      return signal;
    },
    ...(peerCertificate ? { peerCertificate } : {}),
  };
  return request;
}

export async function answerHttp2(response: ApiResponse, stream: http2.ServerHttp2Stream, request: ApiRequest): Promise<void> {
  if (response.hijacked || stream.destroyed) return;
  // A body that nobody has read is taken and dropped: Node would reset the stream, which some clients never get over.
  // Where there is none, that would only close the stream before its answer is written, which costs Node an error.
  if (stream.readableFlowing === null && !stream.endAfterHeaders) stream.resume();
  const { body } = response;
  const headers: http2.OutgoingHttpHeaders = { ...response.headers, ':status': response.status };
  if (!response.stream) {
    if (body === undefined || body.length === 0 || request.method === 'HEAD') {
      stream.respond(headers, { endStream: true });
      return;
    }
    headers['content-length'] = Buffer.byteLength(body);
    stream.respond(headers);
    stream.end(body);
    return;
  }
  stream.respond(headers);
  await response.stream(sinkOf(stream, request.signal));
  if (!stream.destroyed) stream.end();
}

function sinkOf(stream: http2.ServerHttp2Stream, signal: AbortSignal): ResponseSink {
  return {
    signal,
    write: (piece) => !stream.destroyed && stream.write(piece),
    drained: () =>
      stream.writableNeedDrain && !stream.destroyed
        ? new Promise((resolve) => {
            stream.once('drain', resolve);
            stream.once('close', resolve);
          })
        : Promise.resolve(),
    get pending() {
      return stream.writableLength;
    },
  };
}
