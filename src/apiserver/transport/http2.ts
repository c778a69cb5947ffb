import http2 from 'node:http2';
import type { ApiRequest, ApiResponse, PeerCertificate } from '../request.ts';
import { readWhole } from './body.ts';
import { separateIdentityHeaders } from './identity-headers.ts';
import { sendLargeBody, writerOf } from './large-body.ts';
import { peerOf, sameAuthorization } from './peer.ts';
import type { StreamSignals } from './stream-signals.ts';
import { splitTarget } from './target.ts';
import { writableSink } from './writable-sink.ts';

export interface Http2Head {
  readonly headers: http2.IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly raw: readonly string[];
}

/** What the requests of a server share. */
export interface Http2Options {
  readonly signals: StreamSignals;
  readonly maxBodyBytes: number;
}

/** Made for every request: what most of them never ask for is made when it is asked for. */
export class Http2Request implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ApiRequest['headers'];
  readonly remoteAddress: string;
  readonly peerCertificate?: PeerCertificate;
  private knownSignal: AbortSignal | undefined;
  private body: Promise<Buffer> | undefined;

  constructor(
    private readonly stream: http2.ServerHttp2Stream,
    { headers, raw }: Http2Head,
    private readonly options: Http2Options,
  ) {
    this.method = headers[':method'] ?? 'GET';
    const { path, query } = splitTarget(headers[':path'] ?? '/');
    this.path = path;
    this.query = query;
    this.headers = separateIdentityHeaders(headers, raw);
    const peer = peerOf(stream.session);
    this.remoteAddress = peer.remoteAddress;
    if (peer.certificate) this.peerCertificate = peer.certificate;
    if (headers.authorization !== undefined) headers.authorization = sameAuthorization(peer, headers.authorization);
  }

  get signal(): AbortSignal {
    this.knownSignal ??= this.options.signals.of(this.stream);
    return this.knownSignal;
  }

  readBody(): Promise<Buffer> {
    this.body ??= readWhole(this.stream, { encoding: this.headers['content-encoding'], maxBytes: this.options.maxBodyBytes, length: this.headers['content-length'] });
    return this.body;
  }
}

export function answerHttp2(response: ApiResponse, stream: http2.ServerHttp2Stream, request: ApiRequest): Promise<void> | undefined {
  if (response.hijacked || stream.destroyed) return undefined;
  if (response.large && request.method !== 'HEAD') {
    response.headers['content-length'] = String(response.large.length);
    begin(response, stream);
    return sendLargeBody(response.large, writerOf(stream));
  }
  if (response.stream) {
    begin(response, stream);
    return streamed(response.stream, stream, request);
  }
  answerWhole(response, stream, request.method);
  return undefined;
}

type Head = Pick<ApiResponse, 'status' | 'headers'>;

/** The answer's status and headers: what follows is written to the stream. */
export function begin({ status, headers }: Head, stream: http2.ServerHttp2Stream, options?: http2.ServerStreamResponseOptions): void {
  // A body that nobody has read is taken and dropped: Node would reset the stream, which some clients never get over.
  // Where there is none, that would only close the stream before its answer is written, which costs Node an error.
  if (stream.readableFlowing === null && !stream.endAfterHeaders) stream.resume();
  const outgoing: http2.OutgoingHttpHeaders = headers;
  outgoing[':status'] = status;
  stream.respond(outgoing, options);
}

export function answerWhole(response: Head & Pick<ApiResponse, 'body'>, stream: http2.ServerHttp2Stream, method: string): void {
  const { body } = response;
  if (body === undefined || body.length === 0 || method === 'HEAD') {
    begin(response, stream, { endStream: true });
    return;
  }
  response.headers['content-length'] = String(typeof body === 'string' ? Buffer.byteLength(body) : body.length);
  begin(response, stream);
  stream.end(body);
}

async function streamed(run: NonNullable<ApiResponse['stream']>, stream: http2.ServerHttp2Stream, request: ApiRequest): Promise<void> {
  try {
    await run(writableSink(stream, request.signal));
  } catch (error) {
    // Half an answer must not look like one that is still coming.
    stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    throw error;
  }
  if (!stream.destroyed) stream.end();
}
