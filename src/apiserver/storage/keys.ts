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

const SLASH = 0x2f;

/** The namespace of the last key: objects of one namespace, which often follow each other, share its name. */
let lastNamespace = '';

/** Keys have one code unit a byte; names are ASCII. */
export function splitKey(key: string, prefix: string, namespaced: boolean): { namespace: string; name: string } {
  if (!namespaced) return { namespace: '', name: key.slice(prefix.length) };
  let slash = prefix.length + lastNamespace.length;
  if (key.charCodeAt(slash) !== SLASH || !key.startsWith(lastNamespace, prefix.length)) {
    slash = key.indexOf('/', prefix.length);
    if (slash < 0) return { namespace: key.slice(prefix.length, -1), name: key.slice(prefix.length) };
    lastNamespace = key.slice(prefix.length, slash);
  }
  return { namespace: lastNamespace, name: key.slice(slash + 1) };
}
