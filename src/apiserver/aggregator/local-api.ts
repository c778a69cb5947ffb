/** A group version that a component of this process serves: aggregated like one of another server, without the way there. */
import type { APIResourceDiscovery } from '../../api/generated/apidiscovery-v2.ts';
import { failure } from '../../machinery/errors/index.ts';
import type { Exchange } from '../pipeline/handle-request.ts';
import type { ApiResponse } from '../pipeline/request.ts';
import { respondJson } from '../pipeline/respond.ts';
import type { RemoteVersion } from './aggregated-apis.ts';

export interface LocalRequest {
  readonly namespace: string;
  readonly resource: string;
  /** Empty for a list. */
  readonly name: string;
  readonly query: URLSearchParams;
}

export interface LocalApi {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  readonly resources: readonly APIResourceDiscovery[];
  /** The object or list, or undefined when there is no such resource; throws a StatusError. */
  get(request: LocalRequest): object | undefined;
}

export const localVersion = ({ group, version, resources }: LocalApi): RemoteVersion => ({
  group,
  version,
  resources,
  freshness: 'Current',
});

/** Throws a StatusError for what is not there. */
export function serveLocal(api: LocalApi, exchange: Exchange): ApiResponse {
  const { info, request } = exchange;
  if (!info.isResourceRequest) return respondJson(200, resourceListOf(api));
  if (request.method !== 'GET')
    throw failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  // A list that a field selector narrows to one name has that name too.
  const name = info.verb === 'get' ? info.name : '';
  const object =
    info.subresource === ''
      ? api.get({ namespace: info.namespace, resource: info.resource, name, query: request.query })
      : undefined;
  if (!object) throw failure(404, 'NotFound', 'the server could not find the requested resource', {});
  exchange.recognized = true;
  return respondJson(200, object);
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
