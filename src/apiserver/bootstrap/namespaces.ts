/** The namespaces that always exist. */
import type { Namespace } from '../../api/generated/core-v1.ts';
import type { Stored } from './stored.ts';

export const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

/** In the order in which they are made: the system's own first, since its roles live there. */
export const namespaces = (): Stored<Namespace>[] =>
  SYSTEM_NAMESPACES.map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }));
