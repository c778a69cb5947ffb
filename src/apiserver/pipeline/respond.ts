/** Encodes a result in the negotiated representation. Stored objects are sent as the bytes that the cache holds. */
import { stringifySteps, whenDone } from '../../base/index.ts';
import { notAcceptable } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { inSlices } from '../request/in-slices.ts';
import type { Negotiated } from '../request/negotiate.ts';
import type { ApiResponse, LargeBody, ResponseHeaders, ListResult, Result, WatchResult } from '../request/request.ts';
import { completeResponse, encodeAs, headersFor, LARGE_BYTES } from '../request/responses.ts';
import { isWebSocketRequest, streamOverWebSocket } from '../request/websocket.ts';
import { asPartialMetadata, asTable, internalType } from '../verbs/represent.ts';
import type { Scope } from '../verbs/scope.ts';
import { ListBody } from './list-body.ts';
import { listPieces, PiecewiseBody } from './list-forms.ts';

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
      return { status: 200, headers: { 'content-type': result.contentType }, stream: result.run };
    case 'object':
      if (scope.isLarge) return respondInSlices(scope, result.status, transform(scope, result.object));
      return completeResponse(result.status, negotiated, encode(scope, transform(scope, result.object)));
    case 'entry': {
      const { status, entry } = result;
      if (isPlainJson(negotiated)) return completeResponse(status, negotiated, entry.line);
      if (!negotiated.as && entry.size >= LARGE_BYTES)
        return respondInOtherForm(scope, status, entry.bytes, () => entry.object);
      return completeResponse(status, negotiated, encode(scope, transform(scope, entry.object)));
    }
    case 'list':
      return respondList(scope, result);
  }
}

const isPlainJson = ({ mediaType, as, pretty }: Negotiated): boolean =>
  mediaType === 'application/json' && !as && !pretty;

async function respondInSlices(scope: Scope, status: number, object: KubeObject): Promise<ApiResponse> {
  const text = await inSlices(scope.backend.ctx.clock, stringifySteps(object));
  const { mediaType, pretty } = scope.negotiated;
  return mediaType === 'application/json' && !pretty
    ? completeResponse(status, scope.negotiated, Buffer.from(`${text}\n`))
    : respondInOtherForm(scope, status, text, () => object);
}

/** A large object as YAML, protobuf or indented JSON: the thread of large requests encodes its JSON. */
async function respondInOtherForm(
  scope: Scope,
  status: number,
  json: string | Buffer,
  object: () => KubeObject,
): Promise<ApiResponse> {
  const { negotiated, served, backend } = scope;
  const { mediaType, pretty } = negotiated;
  const input = { object: json, form: { mediaType, pretty }, kindName: served.kind };
  const encoded = await backend.stages.run('encode', input);
  return completeResponse(
    status,
    negotiated,
    encoded ? Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength) : encode(scope, object()),
  );
}

const FRAME_LENGTH_BYTES = 4;

function respondByMessages({ request, negotiated, backend }: Scope, { run }: WatchResult): ApiResponse {
  const text = negotiated.mediaType === 'application/json';
  return streamOverWebSocket(request, {
    text,
    prefixBytes: text ? 0 : FRAME_LENGTH_BYTES,
    run: (sink) =>
      run(sink).catch((error: unknown) => backend.ctx.logger.error(error, 'Watch over a WebSocket failed')),
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
  // The stored size is a measure of the work for the other forms.
  const respondWith = (body: ListBody | PiecewiseBody): ApiResponse =>
    stored.isShorterThan(LARGE_BYTES)
      ? completeResponse(200, scope.negotiated, body.toBuffer())
      : new LargeResponse(headersFor(scope.negotiated), body);
  if (mediaType === 'application/json' && !pretty && !as) return respondWith(stored);
  const { clock } = scope.backend.ctx;
  return whenDone(listPieces(scope, list), (pieces) => respondWith(new PiecewiseBody(clock, pieces)));
}

/** Only callers in this process, which do not read in pieces, use `body`. */
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

const encode = ({ negotiated, served }: Scope, object: KubeObject): Buffer => encodeAs(negotiated, object, served.kind);
