/** A group version that a component of this process serves (metrics.k8s.io): aggregated like a remote one, without a connection. */
import type { APIResourceDiscovery } from '../../api/generated/apidiscovery-v2.ts';
import { isRecord, whenDone, type JsonObject, type MaybePromise } from '../../base/index.ts';
import { parseJson } from '../../machinery/decode/index.ts';
import { badRequest, unsupportedMediaType } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { customResourcePrinter, printTable } from '../../machinery/table/index.ts';
import { leaveSeat, type Exchange } from '../request/exchange.ts';
import { negotiate } from '../request/negotiate.ts';
import { headerOf, type ApiResponse, type UserInfo } from '../request/request.ts';
import { methodNotAllowed, noSuchResource, respondJson } from '../request/responses.ts';
import type { RemoteVersion } from './aggregated-apis.ts';

interface LocalRequest {
  readonly namespace: string;
  readonly resource: string;
  /** Empty for a list. */
  readonly name: string;
  readonly query: URLSearchParams;
  /** Who asks: authorized for this resource, not for what it is made of. */
  readonly user: UserInfo;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

interface LocalCreateRequest extends LocalRequest {
  readonly body: JsonObject;
}

export interface LocalApi {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  readonly resources: readonly APIResourceDiscovery[];
  /** What a Table of each resource shows besides the name; without it clients show name and age. */
  readonly columns?: Readonly<Record<string, readonly LocalColumn[]>>;
  /** What the objects of each kind consist of, for OpenAPI; JSON schemas of their members. */
  readonly schemas?: Readonly<Record<string, JsonObject>>;
  /** Verbs of resources that every authenticated user may use: their answers have only what the user may read anyway. */
  readonly open?: Readonly<Record<string, readonly string[]>>;
  /** It sends requests of its own as the user who asks: these take seats of flow control, and this one leaves its own. */
  readonly asksAsUser?: true;
  /** Returns the object or list; undefined for an unknown resource. Throws a StatusError. */
  get(request: LocalRequest): MaybePromise<object | undefined>;
  /** Answers a POST to a resource that has the verb create; nothing is stored. */
  create?(request: LocalCreateRequest): MaybePromise<object | undefined>;
}

interface LocalColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description: string;
  /** Above 0 only wide tables show it. */
  readonly priority?: number;
}

export const localVersion = ({ group, version, resources }: LocalApi): RemoteVersion => ({
  group,
  version,
  resources,
  freshness: 'Current',
});

/** Throws a 404 or 405. */
export function serveLocal(api: LocalApi, exchange: Exchange, user: UserInfo, now: number): MaybePromise<ApiResponse> {
  const { info, request } = exchange;
  if (!info.isResourceRequest) return respondJson(200, resourceListOf(api));
  const declared = api.resources.find(({ resource }) => resource === info.resource);
  const isRead = request.method === 'GET' && info.verb !== 'watch';
  if (!isRead && !(request.method === 'POST' && info.name === '' && declared?.verbs?.includes('create')))
    throw methodNotAllowed();
  if (!declared || info.subresource !== '') throw noSuchResource();
  if (isRead && !declared.verbs?.includes(info.verb)) throw methodNotAllowed();
  if (api.asksAsUser) leaveSeat(exchange);
  return whenDone(isRead ? read(api, exchange, user) : create(api, exchange, user), (object) => {
    if (!object) throw noSuchResource();
    exchange.recognized = true;
    return isRead ? respondJson(200, asAccepted(api, exchange, object, now)) : respondJson(201, object);
  });
}

function read(api: LocalApi, { info, request }: Exchange, user: UserInfo): MaybePromise<object | undefined> {
  // A list with a field selector on metadata.name also has a name in its RequestInfo.
  const name = info.verb === 'get' ? info.name : '';
  const { namespace, resource } = info;
  const { query } = request;
  return api.get({
    namespace,
    resource,
    name,
    query,
    user,
    get signal() {
      return request.signal;
    },
  });
}

async function create(api: LocalApi, { info, request }: Exchange, user: UserInfo): Promise<object | undefined> {
  const type = (headerOf(request, 'content-type') ?? 'application/json').split(';')[0]!.trim();
  if (type !== 'application/json')
    throw unsupportedMediaType(
      'the body of the request was in an unknown format - accepted media types include: application/json',
    );
  const body = request.object ?? parseJson(await request.readBody()).value;
  if (!isRecord(body)) throw badRequest('the body must be a JSON object');
  const { namespace, resource } = info;
  const { query, signal } = request;
  return api.create?.({ namespace, resource, name: '', query, user, signal, body: body as JsonObject });
}

/** As a Table if the client asks for one and the resource has columns. */
function asAccepted(api: LocalApi, { info, request }: Exchange, object: object, now: number): object {
  const columns = api.columns?.[info.resource];
  const { as } = negotiate(headerOf(request, 'accept'), request.query, headerOf(request, 'user-agent'), {
    transforms: true,
    table: columns !== undefined,
  });
  if (!columns || as?.kind !== 'Table') return object;
  const { items, metadata } = object as { items?: KubeObject[]; metadata?: { resourceVersion?: string } };
  const include = request.query.get('includeObject');
  return printTable(customResourcePrinter(columns), items ?? [object as KubeObject], {
    now,
    version: as.version,
    includeObject: include === 'None' || include === 'Object' ? include : 'Metadata',
    metadata: metadata?.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {},
  });
}

function resourceListOf({ group, version, resources }: LocalApi): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${group}/${version}`,
    resources: resources.map(({ resource = '', singularResource = '', scope, responseKind, verbs = [] }) => ({
      name: resource,
      singularName: singularResource,
      namespaced: scope === 'Namespaced',
      kind: responseKind?.kind ?? '',
      verbs,
    })),
  };
}
