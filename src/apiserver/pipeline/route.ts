/** Finds the verb that serves an authorized request. */
import { apiVersionOf } from '../../api/index.ts';
import { ownValue, whenDone } from '../../base/index.ts';
import { badRequest, failure, isStatusError } from '../../machinery/errors/index.ts';
import { customSubresourceVerb, customVerb, isCustomPath } from '../crd/index.ts';
import { removedRelease } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { leaveSeat } from '../request/exchange.ts';
import type { Exchange } from '../request/exchange.ts';
import { negotiate } from '../request/negotiate.ts';
import { EMPTY_NAMESPACE, withoutTrailingSlashes, type RequestInfo } from '../request/request-info.ts';
import { headerOf, type ApiResponse, type UserInfo } from '../request/request.ts';
import { methodNotAllowed, namespaceRequired, noSuchResource, pageNotFound } from '../request/responses.ts';
import { reviewHandlers } from '../reviews/index.ts';
import { subresourceHandlers, unstoredHandlers } from '../subresources/index.ts';
import { checkName } from '../verbs/check-name.ts';
import { create } from '../verbs/create.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { deleteVerb } from '../verbs/delete.ts';
import { get } from '../verbs/get.ts';
import { list } from '../verbs/list.ts';
import { patch } from '../verbs/patch.ts';
import type { Scope, Verb } from '../verbs/scope.ts';
import { update } from '../verbs/update.ts';
import { watch } from '../verbs/watch.ts';
import type { HandlerChain } from './handler-chain.ts';
import { respond } from './respond.ts';

const VERBS: ReadonlyMap<string, Verb> = new Map(
  Object.entries<Verb>({
    get,
    list,
    watch,
    create,
    update,
    patch,
    delete: deleteVerb,
    deletecollection: deleteCollection,
  }),
);

export function route(chain: HandlerChain, exchange: Exchange, user: UserInfo): Promise<ApiResponse> | ApiResponse {
  const { request, info } = exchange;
  const elsewhere = chain.aggregator?.serve(exchange, user);
  if (elsewhere) return elsewhere;
  if (!info.isResourceRequest) return chain.endpoints.serve(exchange, user);
  const { registry } = chain.backend;
  const served = registry.find(info.apiGroup, info.apiVersion, info.resource);
  if (!served) {
    if (registry.isCustomGroup(info.apiGroup)) return pageNotFound();
    if (!registry.hasGroupVersion(info.apiGroup, info.apiVersion)) return chain.endpoints.serve(exchange, user);
    throw noSuchResource();
  }
  if (info.verb === 'watch' && request.path.includes('/watch/') && !isLegacyWatch(served, info)) throw noSuchResource();
  if (served.custom && !isCustomPath(served, exchange)) return pageNotFound();
  // The version of a custom resource is deprecated whatever becomes of the request.
  const { deprecation } = served.strategy;
  // A version may be deprecated without an end, as that of Endpoints is.
  if (deprecation && !served.custom)
    exchange.removedRelease = served.deprecated ? removedRelease(served.deprecated) : '';
  if (deprecation && served.custom) exchange.warnings.push(deprecation);
  checkShape(served, exchange);
  if (request.method === 'HEAD' && info.subresource !== 'proxy') throw methodNotAllowed();
  const verb = verbOf(served, exchange);
  exchange.recognized = true;
  const scope = withDeprecation(served.custom ? undefined : deprecation, exchange, () => {
    checkParameters(request.query);
    return scopeOf(chain, exchange, user, served);
  });
  return whenDone(verb(scope), (result) => respond(scope, result));
}

/** A media type that the router refuses does not get to the endpoint, which would warn; one with other parameters does. */
function withDeprecation<T>(deprecation: string | undefined, { warnings }: Exchange, enter: () => T): T {
  const routed = (error: unknown): boolean => !isStatusError(error) || !error.message.startsWith('406: ');
  try {
    const entered = enter();
    if (deprecation) warnings.push(deprecation);
    return entered;
  } catch (error) {
    if (deprecation && routed(error)) warnings.push(deprecation);
    throw error;
  }
}

/** `/api/v1/watch/…` is the deprecated form of a watch; it exists for resources only. */
const isLegacyWatch = (served: ServedResource, info: RequestInfo): boolean =>
  served.verbs.includes('watch') && info.parts.length < 3;

function checkParameters(query: URLSearchParams): void {
  if (query.has('export')) throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
}

/** One object of a namespaced resource is addressed within its namespace; a cluster-scoped resource never is. */
function checkShape(served: ServedResource, { info, request }: Exchange): void {
  const inNamespace = info.namespace !== '' && info.resource !== 'namespaces';
  if (!served.namespaced && inNamespace) throw noSuchResource();
  const one = info.parts.length > 1;
  const hasEmptyNamespace = EMPTY_NAMESPACE.test(request.path);
  const path = withoutTrailingSlashes(request.path).replace(EMPTY_NAMESPACE, '/');
  if (/\/\/|%2f/i.test(path) && info.subresource !== 'proxy') throw noSuchResource();
  // Reviews can only be created: no path names one, or lists them across namespaces.
  const createOnly = served.verbs.length === 1 && served.verbs[0] === 'create';
  if (createOnly && info.parts.length === 2) throw noSuchResource();
  if (served.namespaced && !inNamespace && (one || request.method === 'POST' || request.method === 'DELETE')) {
    if (hasEmptyNamespace && !createOnly) {
      // Validation refuses an object without a namespace, once it has been read.
      // A deletion of a collection reads its options before it refuses.
      if (!one && (request.method === 'POST' || request.method === 'DELETE')) return;
      throw namespaceRequired();
    }
    throw one || createOnly ? noSuchResource() : methodNotAllowed();
  }
}

/** A delete reads its options first. */
const BY_NAME = new Set(['get', 'patch']);

function verbOf(served: ServedResource, exchange: Exchange): Verb {
  const { info, request } = exchange;
  if (info.parts.length > 2) return subresourceVerb(served, exchange);
  if (served.custom) return VERBS.get(customVerb(served, exchange))!;
  const verb = info.verb === 'watch' && info.parts.length > 1 ? 'watch' : info.verb;
  const wanted = info.parts.length > 1 && request.method === 'POST' ? undefined : verb;
  const collection = info.parts.length === 1;
  const fits = collection
    ? ['list', 'watch', 'create', 'deletecollection']
    : ['get', 'update', 'patch', 'delete', 'watch'];
  if (wanted === undefined || !fits.includes(wanted) || !served.verbs.includes(wanted)) throw methodNotAllowed();
  if (!collection) if (BY_NAME.has(exchange.info.verb)) checkName(exchange.info.parts[1] ?? '');
  return ownValue(handlersOf(served), wanted) ?? VERBS.get(wanted)!;
}

/** Resources of which nothing is stored have verbs of their own. */
function handlersOf({ group, plural }: ServedResource): Readonly<Record<string, Verb>> | undefined {
  const path = `${group}/${plural}`;
  return reviewHandlers[path] ?? unstoredHandlers[path];
}

const SUBRESOURCE_VERBS: ReadonlyMap<string, string> = new Map(
  Object.entries({ GET: 'get', PUT: 'update', PATCH: 'patch', POST: 'create', DELETE: 'delete' }),
);

const isProxied = (method: string): boolean => method === 'HEAD' || method === 'OPTIONS';

const handlerOf = (subresource: string, verb: string): Verb | undefined =>
  ownValue(ownValue(subresourceHandlers, subresource), verb);

function subresourceVerb(served: ServedResource, exchange: Exchange): Verb {
  const { info, request } = exchange;
  if (served.custom) return handlerOf(`*/${info.subresource}`, customSubresourceVerb(served, exchange))!;
  const declared = ownValue(served.subresources, info.subresource);
  const takesPath = info.subresource === 'proxy';
  if (!declared || (info.parts.length > 3 && !takesPath)) throw noSuchResource();
  // The proxies also take the methods that have no verb.
  const verb = SUBRESOURCE_VERBS.get(request.method) ?? (takesPath && isProxied(request.method) ? 'get' : undefined);
  if (verb === undefined || !declared.verbs.includes(verb)) throw methodNotAllowed();
  const handler = handlerOf(`${served.plural}/${info.subresource}`, verb) ?? handlerOf(`*/${info.subresource}`, verb);
  if (!handler)
    throw failure(
      501,
      'NotImplemented',
      `${served.plural}/${info.subresource} of ${apiVersionOf(served)} is not served by this API server`,
    );
  return handler;
}

/** Subresources without a table although their kind has one. */
const WITHOUT_TABLE: ReadonlySet<string> = new Set([
  '/namespaces/finalize',
  '/pods/ephemeralcontainers',
  '/pods/resize',
  'apiextensions.k8s.io/customresourcedefinitions/status',
  'apiregistration.k8s.io/apiservices/status',
  'certificates.k8s.io/certificatesigningrequests/approval',
  'resource.k8s.io/devicetaintrules/status',
  'resource.k8s.io/resourceclaims/status',
  'resource.k8s.io/resourcepoolstatusrequests/status',
  'scheduling.k8s.io/podgroups/status',
]);

function scopeOf(chain: HandlerChain, exchange: Exchange, user: UserInfo, served: ServedResource): Scope {
  const { request, info } = exchange;
  const isWatch = info.verb === 'watch';
  const negotiated = negotiate(headerOf(request, 'accept'), request.query, headerOf(request, 'user-agent'), {
    transforms: served.verbs.includes('get'),
    table: !WITHOUT_TABLE.has(`${served.group}/${served.plural}/${info.subresource}`),
    stream: isWatch,
    list: info.verb === 'list' && served.verbs.includes('watch'),
    protobuf: !served.custom,
    routed: !served.custom,
  });
  return {
    backend: chain.backend,
    request,
    info,
    user,
    served,
    place: { namespace: served.namespaced ? info.namespace : '', name: info.parts[1] ?? '' },
    subresource: info.subresource,
    negotiated,
    warnings: exchange.warnings,
    annotations: exchange.annotations,
    span: exchange.span,
    admission: exchange.admission,
    releaseSeat: () => leaveSeat(exchange),
    waitedFor: (ms) => void (exchange.webhooksMs = (exchange.webhooksMs ?? 0) + ms),
    template: undefined,
  };
}
