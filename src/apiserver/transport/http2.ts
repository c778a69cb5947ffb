import { BodyError, HTTP2_ERROR, type Http2Connection, type Http2Stream } from '../../kernel/http2/index.ts';
import type { ApiRequest, ApiResponse, PeerCertificate } from '../request.ts';
import { AUDIT_ID, type AnswerHeads } from './answer-head.ts';
import { cutOff, plain, tooLarge } from './body.ts';
import { separateIdentityHeaders } from './identity-headers.ts';
import { sendLargeBody } from './large-body.ts';
import { peerOf, sameAuthorization } from './peer.ts';
import { bufferWriter, streamSink } from './stream-sink.ts';
import type { StreamSignals } from './stream-signals.ts';
import { splitTarget } from './target.ts';

/** What the requests of a server share. */
export interface Http2Serving {
  readonly signals: StreamSignals;
  readonly heads: AnswerHeads;
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
    private readonly stream: Http2Stream,
    { socket }: Http2Connection,
    private readonly serving: Http2Serving,
  ) {
    const { headers } = stream;
    this.method = headers[':method'] ?? 'GET';
    const { path, query } = splitTarget(headers[':path'] ?? '/');
    this.path = path;
    this.query = query;
    const peer = peerOf(socket);
    this.remoteAddress = peer.remoteAddress;
    if (peer.certificate) this.peerCertificate = peer.certificate;
    if (headers['authorization'] !== undefined) headers['authorization'] = sameAuthorization(peer, headers['authorization']);
    this.headers = separateIdentityHeaders(headers, stream.fields);
  }

  get signal(): AbortSignal {
    this.knownSignal ??= this.serving.signals.of(this.stream);
    return this.knownSignal;
  }

  readBody(): Promise<Buffer> {
    const { maxBodyBytes: maxBytes } = this.serving;
    this.body ??= plain(this.#read(maxBytes), { encoding: this.headers['content-encoding'], maxBytes });
    return this.body;
  }

  async #read(maxBytes: number): Promise<Buffer> {
    try {
      return await this.stream.readBody(maxBytes);
    } catch (error) {
      throw error instanceof BodyError && error.reason === 'TooLarge' ? tooLarge(maxBytes) : cutOff();
    }
  }
}

export function answerHttp2(response: ApiResponse, stream: Http2Stream, { request, heads }: { request: ApiRequest; heads: AnswerHeads }): Promise<void> | undefined {
  if (response.hijacked || stream.closed) return undefined;
  const { status, headers } = response;
  const common = heads.common(status, headers);
  if (response.large && request.method !== 'HEAD') {
    stream.begin(common, heads.own(headers[AUDIT_ID], response.large.length));
    return sendLargeBody(response.large, bufferWriter(stream));
  }
  if (response.stream) {
    stream.begin(common, heads.own(headers[AUDIT_ID]));
    return streamed(response.stream, stream, request);
  }
  const body = typeof response.body === 'string' ? Buffer.from(response.body) : response.body;
  const isWhole = body === undefined || body.length === 0 || request.method === 'HEAD';
  stream.answer(common, heads.own(headers[AUDIT_ID], isWhole ? undefined : body.length), isWhole ? undefined : body);
  return undefined;
}

async function streamed(run: NonNullable<ApiResponse['stream']>, stream: Http2Stream, request: ApiRequest): Promise<void> {
  try {
    await run(streamSink(stream, request.signal));
  } catch (error) {
    // Half an answer must not look like one that is still coming.
    stream.reset(HTTP2_ERROR.internal);
    throw error;
  }
  stream.end();
}
