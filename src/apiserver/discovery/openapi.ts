/** /openapi/v2 and /openapi/v3: generated on the first request, and again when the set of APIs changes. */
import { BINARY_EFFECTIVE_VERSION, KUBERNETES_MAJOR, type EffectiveVersion } from '../../api/kubernetes-version.ts';
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
import { headerOf, type ApiResponse, type ResponseHeaders } from '../request/request.ts';
import { httpTime, serveContent, type Content } from './serve-content.ts';

const YEAR_MS = 365 * 24 * 3600 * 1000;

export function openapiEndpoints(
  registry: Registry,
  clock: Clock,
  aggregator?: Aggregator,
  { emulation }: EffectiveVersion = BINARY_EFFECTIVE_VERSION,
): Endpoint[] {
  let documents: OpenApiCache | undefined;
  registry.onChange(() => (documents = undefined));
  aggregator?.aggregatedApis.onChange(() => (documents = undefined));
  const current = (): OpenApiCache =>
    (documents ??= new OpenApiCache(
      clock,
      new MergedDocuments(
        new OpenApiDocuments({
          version: `${KUBERNETES_MAJOR}.${emulation}`,
          builtin: registry.all().filter(({ custom }) => !custom),
          custom: registry.customApis(),
        }),
        aggregator?.aggregatedApis,
      ),
    ));
  return [
    { path: '/openapi/v2', plain: true, serve: (exchange) => serveV2(exchange, current()) },
    {
      path: '/openapi/v3',
      plain: true,
      // The index has no type and no hash of its own, only the time of the answer.
      serve: async ({ request }) => {
        if (request.path.endsWith('/')) return { status: 404, headers: {} };
        const asked = current();
        return serveContent(request, {
          bytes: (await asked.v3Root()).bytes,
          contentType: 'text/plain; charset=utf-8',
          modified: clock.now(),
          changed: asked.modified,
        });
      },
    },
    {
      path: '/openapi/v3/*',
      paths: () => ['/openapi/v3/'],
      serve: (exchange, user) => aggregator?.serveOpenApi(exchange, user) ?? serveV3(exchange, current(), clock.now()),
    },
  ];
}

/** Generates each document once, in slices that do not block the event loop. */
class OpenApiCache {
  readonly #cached = new Map<string, Promise<OpenApiDocument>>();
  readonly #clock: Clock;
  readonly #documents: MergedDocuments;
  /** When what is served last changed. */
  readonly modified: number;

  constructor(clock: Clock, documents: MergedDocuments) {
    this.#clock = clock;
    this.#documents = documents;
    this.modified = clock.now();
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
      return serveV2Document(exchange, await documents.v2Protobuf(), {
        contentType: OPENAPI_V2_PROTOBUF_TYPES[0],
        modified: documents.modified,
      });
    if (type === 'application/json' || type === '*/*' || type === 'application/*')
      return serveV2Document(exchange, await documents.v2(), {
        contentType: 'application/json',
        modified: documents.modified,
      });
  }
  throw failure(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  );
}

const serveV2Document = (
  { request }: Exchange,
  { bytes, hash }: OpenApiDocument,
  form: Pick<Content, 'contentType' | 'modified'>,
): ApiResponse =>
  serveContent(request, { ...form, bytes, etag: `"${hash}"`, headers: { vary: ['Accept-Encoding', 'Accept'] } });

/** Clients that ask for protobuf get JSON, which they accept as well. */
const V3_TYPES = /^(?:\*\/\*|application\/(?:\*|json|com\.github\.proto-openapi\.spec\.v3[.@]v1\.0\+protobuf))$/;

async function serveV3({ request }: Exchange, documents: OpenApiCache, now: number): Promise<ApiResponse | undefined> {
  const name = request.path.slice('/openapi/v3/'.length);
  const document = await documents.v3(name);
  if (!document) return { status: 404, headers: {} };
  if (!parseAccept(headerOf(request, 'accept') ?? '*/*').some(({ type }) => V3_TYPES.test(type)))
    return { status: 406, headers: {} };
  const asked = request.query.get('hash');
  const etag = `"${document.hash}"`;
  const contentType = 'application/json';
  if (asked !== null && asked !== document.hash) {
    const location = `/openapi/v3/${name}?hash=${document.hash}`;
    return { status: 301, headers: { location, 'content-type': contentType, etag, vary: 'Accept' } };
  }
  return serveContent(request, {
    bytes: document.bytes,
    contentType,
    etag,
    modified: documents.modified,
    headers: { vary: 'Accept', ...(asked === null ? {} : unchanging(now)) },
  });
}

/** Under its hash a document never changes. */
const unchanging = (now: number): ResponseHeaders => ({
  'cache-control': 'public, immutable',
  expires: httpTime(now + YEAR_MS).replace(/GMT$/, 'UTC'),
});
