/** /openapi/v2 and /openapi/v3: made from the declarations when somebody asks, and again when a custom resource came or went. */
import { OPENAPI_V2_PROTOBUF_TYPES, OpenApiDocuments } from '../machinery/openapi/index.ts';
import { MergedDocuments, type Aggregator } from './aggregator/index.ts';
import type { Endpoint } from './endpoints.ts';
import type { Exchange } from './handle-request.ts';
import { parseAccept } from './negotiate.ts';
import type { Registry } from './registry/registry.ts';
import { headerOf, type ApiResponse } from './request.ts';
import { failure } from '../machinery/status.ts';
import { VERSION } from './version.ts';

export function openapiEndpoints(registry: Registry, aggregator?: Aggregator): Endpoint[] {
  let documents: MergedDocuments | undefined;
  registry.onChange(() => (documents = undefined));
  aggregator?.otherServers.onChange(() => (documents = undefined));
  const current = (): MergedDocuments =>
    (documents ??= new MergedDocuments(new OpenApiDocuments({ version: VERSION.gitVersion, custom: registry.customApis() }), aggregator?.otherServers));
  return [
    { path: '/openapi/v2', serve: (exchange) => serveV2(exchange, current()) },
    { path: '/openapi/v3', serve: (exchange) => serveBytes(exchange, current().v3Root(), 'application/json') },
    { path: '/openapi/v3/*', serve: (exchange, user) => aggregator?.serveOpenApi(exchange, user) ?? serveV3(exchange, current()) },
  ];
}

interface Document {
  readonly bytes: Buffer;
  readonly hash: string;
}

function serveV2(exchange: Exchange, documents: MergedDocuments): ApiResponse {
  for (const { type } of parseAccept(headerOf(exchange.request, 'accept') ?? '*/*')) {
    if ((OPENAPI_V2_PROTOBUF_TYPES as readonly string[]).includes(type)) return serveBytes(exchange, documents.v2Protobuf(), OPENAPI_V2_PROTOBUF_TYPES[0]);
    if (type === 'application/json' || type === '*/*' || type === 'application/*') return serveBytes(exchange, documents.v2(), 'application/json');
  }
  throw failure(406, 'NotAcceptable', 'only the following media types are accepted: application/json, application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
}

function serveV3(exchange: Exchange, documents: MergedDocuments): ApiResponse | undefined {
  const name = exchange.request.path.slice('/openapi/v3/'.length);
  const document = documents.v3(name);
  if (!document) return { status: 404, headers: {} };
  const hash = exchange.request.query.get('hash');
  if (hash !== null && hash !== document.hash) {
    return { status: 301, headers: { location: `/openapi/v3/${name}?hash=${document.hash}` } };
  }
  const response = serveBytes(exchange, document, 'application/json');
  // Under its hash a document never changes.
  return hash === null ? response : { ...response, headers: { ...response.headers, 'cache-control': 'public, immutable', expires: 'Thu, 31 Dec 2099 23:59:59 GMT' } };
}

function serveBytes({ request }: Exchange, document: Document, contentType: string): ApiResponse {
  const etag = `"${document.hash}"`;
  if (headerOf(request, 'if-none-match') === etag) return { status: 304, headers: { etag } };
  return { status: 200, headers: { 'content-type': contentType, etag, vary: 'Accept' }, body: document.bytes };
}
