/** A group version that a component of this process serves (metrics.k8s.io): aggregated like a remote one, without a connection. */
import type { APIResourceDiscovery } from '../../api/generated/apidiscovery-v2.ts';
import { whenDone } from '../../base/index.ts';
import { failure } from '../../machinery/errors/index.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ApiResponse, UserInfo } from '../request/request.ts';
import { respondJson } from '../request/responses.ts';
import type { RemoteVersion } from './aggregated-apis.ts';

interface LocalRequest {
  readonly namespace: string;
  readonly resource: string;
  /** Empty for a list. */
  readonly name: string;
  readonly query: URLSearchParams;
  /** Who asks: authorized for this resource, not for what it is made of. */
  readonly user: UserInfo;
}

export interface LocalApi {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  readonly resources: readonly APIResourceDiscovery[];
  /** Returns the object or list; undefined for an unknown resource. Throws a StatusError. */
  get(request: LocalRequest): Promise<object | undefined> | object | undefined;
}

export const localVersion = ({ group, version, resources }: LocalApi): RemoteVersion => ({
  group,
  version,
  resources,
  freshness: 'Current',
});

/** Throws a 404 or 405. */
export function serveLocal(api: LocalApi, exchange: Exchange, user: UserInfo): Promise<ApiResponse> | ApiResponse {
  const { info, request } = exchange;
  if (!info.isResourceRequest) return respondJson(200, resourceListOf(api));
  if (request.method !== 'GET')
    throw failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  // A list with a field selector on metadata.name also has a name in its RequestInfo.
  const name = info.verb === 'get' ? info.name : '';
  const found =
    info.subresource === ''
      ? api.get({ namespace: info.namespace, resource: info.resource, name, query: request.query, user })
      : undefined;
  return whenDone(found, (object) => {
    if (!object) throw failure(404, 'NotFound', 'the server could not find the requested resource', {});
    exchange.recognized = true;
    return respondJson(200, object);
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
