/**
 * Keys of objects in the store: upstream's layout, so that a real kube-apiserver on the same etcd sees the same
 * cluster. Cluster-scoped objects are at `/registry/PREFIX/NAME`, namespaced ones at `/registry/PREFIX/NAMESPACE/NAME`.
 */
export const REGISTRY = '/registry/';

/** Resources whose prefix is not their plural, for historical reasons. */
const HISTORIC_PREFIXES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '/nodes': 'minions',
    '/services': 'services/specs',
    '/endpoints': 'services/endpoints',
    '/replicationcontrollers': 'controllers',
    'networking.k8s.io/ingresses': 'ingress',
    'apiregistration.k8s.io/apiservices': 'apiregistration.k8s.io/apiservices',
    'apiextensions.k8s.io/customresourcedefinitions': 'apiextensions.k8s.io/customresourcedefinitions',
  }),
);

export function builtinPrefix(group: string, plural: string): string {
  return `${REGISTRY}${HISTORIC_PREFIXES.get(`${group}/${plural}`) ?? plural}/`;
}

export function customResourcePrefix(group: string, plural: string): string {
  return `${REGISTRY}${group}/${plural}/`;
}

export function objectKey(prefix: string, namespace: string, name: string): string {
  return namespace === '' ? prefix + name : `${prefix}${namespace}/${name}`;
}

/** Keys have one code unit a byte; names are ASCII. */
export function splitKey(key: string, prefix: string, namespaced: boolean): { namespace: string; name: string } {
  const rest = key.slice(prefix.length);
  if (!namespaced) return { namespace: '', name: rest };
  const slash = rest.indexOf('/');
  return { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}
