/** Puts a result into the representation that was negotiated. Stored objects leave as the bytes they are kept in. */
import { encodeYaml } from '../../machinery/decode/index.ts';
import { notAcceptable, type StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { isWebSocketRequest, streamOverWebSocket } from '../transport/websocket.ts';
import { ListBody } from './list-body.ts';
import { listPieces, PiecewiseBody } from './list-forms.ts';
import type { Negotiated } from '../request/negotiate.ts';
import { asPartialMetadata, asTable, encodeObjectProtobuf, internalType } from '../verbs/represent.ts';
import type { ApiResponse, LargeBody, ResponseHeaders } from '../request/request.ts';
import type { ListResult, Result, WatchResult } from '../request/result.ts';
import type { Scope } from '../verbs/scope.ts';

/** Answers below this are not worth compressing, or sending in pieces. */
export const LARGE_BYTES = 128 * 1024;

export function respond(scope: Scope, result: Result): ApiResponse | Promise<ApiResponse> {
  const { negotiated } = scope;
  if (scope.request.inProcess && result.type !== 'response') {
    return { status: 'status' in result ? result.status : 200, headers: {}, result };
  }
  switch (result.type) {
    case 'response':
      return result.response;
    case 'watch':
      if (isWebSocketRequest(scope.request)) return respondByMessages(scope, result);
      return {
        status: 200,
        headers: { 'content-type': result.contentType, 'cache-control': 'no-cache, private' },
        stream: result.run,
      };
    case 'object':
      return complete(result.status, negotiated, encode(scope, transform(scope, result.object)));
    case 'entry': {
      const plainJson = negotiated.mediaType === 'application/json' && !negotiated.as && !negotiated.pretty;
      if (plainJson) return complete(result.status, negotiated, result.entry.bytes);
      return complete(result.status, negotiated, encode(scope, transform(scope, result.entry.object)));
    }
    case 'list':
      return respondList(scope, result);
  }
}

const FRAME_LENGTH_BYTES = 4;

function respondByMessages({ request, negotiated, backend }: Scope, { run }: WatchResult): ApiResponse {
  const text = negotiated.mediaType === 'application/json';
  return streamOverWebSocket(request, {
    text,
    prefixBytes: text ? 0 : FRAME_LENGTH_BYTES,
    run: (sink) =>
      run(sink).catch((error: unknown) => backend.ctx.logger.error(error, 'A watch over a WebSocket broke off')),
  });
}

function transform(scope: Scope, object: KubeObject): KubeObject {
  const { as } = scope.negotiated;
  if (!as || object.kind === 'Status') return object;
  if (as.kind === 'PartialObjectMetadataList')
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${internalType(scope.served, '')})`,
    );
  if (as.kind === 'PartialObjectMetadata') return asPartialMetadata(scope.served, object, as.version);
  return asTable(scope, [object], object.metadata.resourceVersion);
}

function respondList(scope: Scope, list: ListResult): ApiResponse | Promise<ApiResponse> {
  const { mediaType, pretty, as } = scope.negotiated;
  const stored = new ListBody(list);
  // What is stored tells how much work the other forms are, too.
  const respondWith = (body: ListBody | PiecewiseBody): ApiResponse =>
    stored.isShorterThan(LARGE_BYTES)
      ? complete(200, scope.negotiated, body.toBuffer())
      : new LargeResponse(headersFor(scope.negotiated), body);
  if (mediaType === 'application/json' && !pretty && !as) return respondWith(stored);
  const pieces = listPieces(scope, list);
  const { clock } = scope.backend.ctx;
  if (pieces instanceof Promise) return pieces.then((made) => respondWith(new PiecewiseBody(clock, made)));
  return respondWith(new PiecewiseBody(clock, pieces));
}

/** Its body is put together only for callers in this process, who do not take it in pieces. */
class LargeResponse implements ApiResponse {
  readonly status = 200;
  done?: () => void;
  expiresAt?: number;

  constructor(
    readonly headers: ResponseHeaders,
    readonly large: LargeBody & { toBuffer(): Buffer },
  ) {}

  get body(): Buffer {
    return this.large.toBuffer();
  }
}

function encode(scope: Scope, object: KubeObject): Buffer {
  return encodeAs(scope.negotiated, object, () => encodeObjectProtobuf(scope.served, object));
}

function encodeAs(negotiated: Negotiated, object: unknown, protobuf: () => Buffer): Buffer {
  switch (negotiated.mediaType) {
    case 'application/yaml':
      return encodeYaml(object);
    case 'application/vnd.kubernetes.protobuf':
      return protobuf();
    case 'application/json':
      return Buffer.from(negotiated.pretty ? `${JSON.stringify(object, null, 2)}\n` : JSON.stringify(object));
  }
}

function complete(status: number, negotiated: Negotiated, body: Buffer): ApiResponse {
  return { status, headers: headersFor(negotiated), body };
}

const headersFor = ({ mediaType }: Negotiated): ResponseHeaders => ({
  'content-type': mediaType,
  'cache-control': 'no-cache, private',
});

/** A document that is no resource: discovery. */
export function encodeDocument(negotiated: Negotiated, document: KubeObject): ApiResponse {
  return complete(
    200,
    negotiated,
    encodeAs(negotiated, document, () => encodeObjectProtobuf(undefined, document)),
  );
}

/** A failure as every client understands it. */
export function respondError(error: StatusError, negotiated: Negotiated | undefined): ApiResponse {
  const form = negotiated ?? { mediaType: 'application/json' as const, pretty: false };
  const body = encodeAs(form, error.status, () =>
    encodeObjectProtobuf(undefined, error.status as unknown as KubeObject),
  );
  const headers: ResponseHeaders = { 'content-type': form.mediaType, 'cache-control': 'no-cache, private' };
  const retryAfter = error.status.details?.retryAfterSeconds;
  if (retryAfter) headers['retry-after'] = String(retryAfter);
  return { status: error.code, headers, body };
}

export function respondJson(status: number, object: unknown, headers: ResponseHeaders = {}): ApiResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(object) };
}

export function respondText(status: number, text: string, headers: ResponseHeaders = {}): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
    body: text,
  };
}

/** Of a body that is whole. */
export const bodyLength = (response: ApiResponse): number => (response.large ? 0 : (response.body?.length ?? 0));
