import { splitTarget } from '../../net/http/index.ts';
import { BodyError, HTTP2_ERROR, type Http2Connection, type Http2Stream } from '../../net/http2/index.ts';
import type { ApiRequest, ApiResponse, PeerCertificate } from '../request/request.ts';
import type { Sending } from '../request/request.ts';
import { cutOff, decompressed, tooLarge } from './body.ts';
import { separateIdentityHeaders } from './identity-headers.ts';
import { sendLargeBody } from './large-body.ts';
import { peerOf, sameAuthorization } from './peer.ts';
import { AUDIT_ID, type ResponseHeads } from './response-heads.ts';
import type { SendBudget } from './send-budget.ts';
import type { StreamSignals } from './stream-signals.ts';
import { bufferWriter, streamSink } from './stream-sink.ts';

/** Shared by all requests of a server. */
interface Http2Serving {
  readonly signals: StreamSignals;
  readonly heads: ResponseHeads;
  readonly maxBodyBytes: number;
  readonly budget: SendBudget;
}

/** Created for every request: what most requests never use is created on demand. */
export class Http2Request implements ApiRequest {
  readonly #stream: Http2Stream;
  readonly #connection: Http2Connection;
  readonly #serving: Http2Serving;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ApiRequest['headers'];
  readonly remoteAddress: string;
  readonly peerCertificate?: PeerCertificate;
  #knownSignal: AbortSignal | undefined;
  #body: Promise<Buffer> | undefined;

  constructor(stream: Http2Stream, connection: Http2Connection, serving: Http2Serving) {
    this.#stream = stream;
    this.#connection = connection;
    this.#serving = serving;
    const { socket } = connection;
    const { headers } = stream;
    this.method = headers[':method'] ?? 'GET';
    const { path, query } = splitTarget(headers[':path'] ?? '/');
    this.path = path;
    this.query = query;
    const peer = peerOf(socket);
    this.remoteAddress = peer.remoteAddress;
    if (peer.certificate) this.peerCertificate = peer.certificate;
    if (headers['authorization'] !== undefined)
      headers['authorization'] = sameAuthorization(peer, headers['authorization']);
    this.headers = separateIdentityHeaders(headers, stream.fields);
  }

  get signal(): AbortSignal {
    this.#knownSignal ??= this.#serving.signals.of(this.#stream);
    return this.#knownSignal;
  }

  abort(reason: Error): void {
    this.#serving.signals.abort(this.signal, reason);
  }

  leaveConnection(): void {
    this.#connection.close();
  }

  get congested(): boolean {
    return this.#serving.budget.isFull(this.#connection);
  }

  readBody(): Promise<Buffer> {
    const { maxBodyBytes: maxBytes } = this.#serving;
    this.#body ??= decompressed(this.#read(maxBytes), { encoding: this.headers['content-encoding'], maxBytes });
    return this.#body;
  }

  async #read(maxBytes: number): Promise<Buffer> {
    try {
      return await this.#stream.readBody(maxBytes);
    } catch (error) {
      throw error instanceof BodyError && error.reason === 'TooLarge' ? tooLarge(maxBytes) : cutOff();
    }
  }
}

interface Http2ResponseContext {
  readonly request: ApiRequest;
  readonly connection: Http2Connection;
  readonly serving: Http2Serving;
}

/** Resolves when the client has received a long response; undefined for a short one. */
export function respondHttp2(
  response: ApiResponse,
  stream: Http2Stream,
  { request, connection, serving }: Http2ResponseContext,
): Promise<void> | undefined {
  if (response.hijacked || stream.closed) return undefined;
  const { heads, budget } = serving;
  const { status, headers } = response;
  const common = heads.common(status, headers);
  const begin = (expiresAt: number | undefined): Sending => {
    const sending = budget.begin({ connection, expiresAt, end: () => stream.reset(HTTP2_ERROR.internal) });
    stream.onClose(() => sending.finished());
    return sending;
  };
  if (response.large && request.method !== 'HEAD') {
    stream.begin(common, heads.own(headers[AUDIT_ID]));
    return sendLargeBody(response.large, bufferWriter(stream, begin(response.expiresAt)));
  }
  if (response.stream) {
    stream.begin(common, heads.own(headers[AUDIT_ID]));
    return streamed(response.stream, stream, { request, sending: begin(response.expiresAt) });
  }
  const body = typeof response.body === 'string' ? Buffer.from(response.body) : response.body;
  const isWhole = body === undefined || body.length === 0 || request.method === 'HEAD';
  stream.answer(common, heads.own(headers[AUDIT_ID], isWhole ? undefined : body.length), isWhole ? undefined : body);
  if (stream.pendingBytes > 0) begin(response.expiresAt ?? budget.expiry()).wrote(stream.pendingBytes);
  return undefined;
}

interface Streaming {
  readonly request: ApiRequest;
  readonly sending: Sending;
}

async function streamed(
  run: NonNullable<ApiResponse['stream']>,
  stream: Http2Stream,
  { request, sending }: Streaming,
): Promise<void> {
  try {
    await run(streamSink(stream, request.signal, sending));
  } catch (error) {
    // A client must not mistake half a response for one that is still coming.
    stream.reset(HTTP2_ERROR.internal);
    throw error;
  }
  stream.end();
}
