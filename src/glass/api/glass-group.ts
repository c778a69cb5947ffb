/** The API group of the glass. */
export const GLASS_GROUP = 'glass.k8ts.dev';
export const GLASS_VERSION = 'v1alpha1';
export const GLASS_API = `${GLASS_GROUP}/${GLASS_VERSION}`;

/** The path of a resource of the group: `glassPath('explanations', 'default', 'pods:web')`. */
export const glassPath = (resource: string, namespace = '', name = ''): string =>
  `/apis/${GLASS_API}${namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`}/${resource}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
