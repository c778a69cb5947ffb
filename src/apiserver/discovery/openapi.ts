/** /openapi/v2 and /openapi/v3: generated on the first request, and again when the set of APIs changes. */
import { VERSION } from '../../api/kubernetes-version.ts';
import type { Steps } from '../../base/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { failure } from '../../machinery/errors/index.ts';
import { OPENAPI_V2_PROTOBUF_TYPES, OpenApiDocuments, type OpenApiDocument } from '../../machinery/openapi/index.ts';
import { MergedDocuments, type Aggregator } from '../aggregator/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { Endpoint } from '../request/endpoint.ts';
import type { Exchange } from '../request/exchange.ts';
import { inSlices } from '../request/in-slices.ts';
import { parseAccept } from '../request/negotiate.ts';
import { headerOf, type ApiResponse } from '../request/request.ts';

export function openapiEndpoints(registry: Registry, clock: Clock, aggregator?: Aggregator): Endpoint[] {
  let documents: OpenApiCache | undefined;
  registry.onChange(() => (documents = undefined));
  aggregator?.aggregatedApis.onChange(() => (documents = undefined));
  const current = (): OpenApiCache =>
    (documents ??= new OpenApiCache(
      clock,
      new MergedDocuments(
        new OpenApiDocuments({ version: VERSION.gitVersion, custom: registry.customApis() }),
        aggregator?.aggregatedApis,
      ),
    ));
  return [
    { path: '/openapi/v2', plain: true, serve: (exchange) => serveV2(exchange, current()) },
    {
      path: '/openapi/v3',
      plain: true,
      serve: async (exchange) => serveBytes(exchange, await current().v3Root(), 'application/json'),
    },
    {
      path: '/openapi/v3/*',
      paths: () => ['/openapi/v3/'],
      serve: (exchange, user) => aggregator?.serveOpenApi(exchange, user) ?? serveV3(exchange, current()),
    },
  ];
}

/** Generates each document once, in slices that do not block the event loop. */
class OpenApiCache {
  readonly #cached = new Map<string, Promise<OpenApiDocument>>();
  readonly #clock: Clock;
  readonly #documents: MergedDocuments;

  constructor(clock: Clock, documents: MergedDocuments) {
    this.#clock = clock;
    this.#documents = documents;
  }

  v2(): Promise<OpenApiDocument> {
    return this.#once('v2', () => this.#documents.v2());
  }

  v2Protobuf(): Promise<OpenApiDocument> {
    return this.#once('v2 protobuf', () => this.#documents.v2Protobuf());
  }

  v3Root(): Promise<OpenApiDocument> {
    return this.#once('v3', () => this.#documents.v3Root());
  }

  /** Not cached by name, because clients choose the name; the parts of the document are cached. */
  v3(name: string): Promise<OpenApiDocument | undefined> {
    return inSlices(this.#clock, this.#documents.v3(name));
  }

  #once(name: string, steps: () => Steps<OpenApiDocument>): Promise<OpenApiDocument> {
    let document = this.#cached.get(name);
    if (!document) this.#cached.set(name, (document = inSlices(this.#clock, steps())));
    return document;
  }
}

async function serveV2(exchange: Exchange, documents: OpenApiCache): Promise<ApiResponse> {
  for (const { type } of parseAccept(headerOf(exchange.request, 'accept') ?? '*/*')) {
    if ((OPENAPI_V2_PROTOBUF_TYPES as readonly string[]).includes(type))
      return serveBytes(exchange, await documents.v2Protobuf(), OPENAPI_V2_PROTOBUF_TYPES[0]);
    if (type === 'application/json' || type === '*/*' || type === 'application/*')
      return serveBytes(exchange, await documents.v2(), 'application/json');
  }
  throw failure(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  );
}

async function serveV3(exchange: Exchange, documents: OpenApiCache): Promise<ApiResponse | undefined> {
  const name = exchange.request.path.slice('/openapi/v3/'.length);
  const document = await documents.v3(name);
  if (!document) return { status: 404, headers: {} };
  const hash = exchange.request.query.get('hash');
  if (hash !== null && hash !== document.hash) {
    return { status: 301, headers: { location: `/openapi/v3/${name}?hash=${document.hash}` } };
  }
  const response = serveBytes(exchange, document, 'application/json');
  // The document with a given hash never changes.
  return hash === null
    ? response
    : {
        ...response,
        headers: {
          ...response.headers,
          'cache-control': 'public, immutable',
          expires: 'Thu, 31 Dec 2099 23:59:59 GMT',
        },
      };
}

function serveBytes({ request }: Exchange, document: OpenApiDocument, contentType: string): ApiResponse {
  const etag = `"${document.hash}"`;
  if (headerOf(request, 'if-none-match') === etag) return { status: 304, headers: { etag } };
  return { status: 200, headers: { 'content-type': contentType, etag, vary: 'Accept' }, body: document.bytes };
}
