/** The APIServices that name a Service. */
import type { APIService } from '../../api/generated/apiregistration-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { derivedFrom } from '../admission/derived.ts';
import type { Registry } from '../registry/registry.ts';

export type APIServiceObject = APIService & KubeObject;

export interface RemoteService {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly available: boolean;
  readonly object: APIServiceObject;
}

const DEFAULT_PORT = 443;

export function remoteServiceOf(object: APIServiceObject): RemoteService | undefined {
  const { service, group = '', version = '' } = object.spec ?? {};
  if (!service) return undefined;
  return {
    name: object.metadata.name ?? '',
    group,
    version,
    service: { namespace: service.namespace ?? '', name: service.name ?? '', port: service.port ?? DEFAULT_PORT },
    available: isAvailable(object),
    object,
  };
}

const isAvailable = ({ status }: APIService): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') ?? false;

/** `/apis/GROUP/VERSION` */
export const rootPath = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** By `GROUP/VERSION`; recomputed when an APIService changes. */
export function remoteServices(registry: Registry): () => ReadonlyMap<string, RemoteService> {
  const served = registry.require('apiregistration.k8s.io', 'v1', 'apiservices');
  return derivedFrom(served, () => {
    const remotes = new Map<string, RemoteService>();
    for (const { object } of served.cache.list()) {
      const remote = remoteServiceOf(object as APIServiceObject);
      if (remote) remotes.set(`${remote.group}/${remote.version}`, remote);
    }
    return remotes;
  });
}
