/** The Kubernetes release whose API and behaviour these components have. */
export const KUBERNETES_VERSION = 'v1.36.4';

const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.');

export const KUBERNETES_MAJOR = major;
export const KUBERNETES_MINOR = minor;
