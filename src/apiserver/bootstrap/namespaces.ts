/** The system namespaces. */
import type { Namespace } from '../../api/generated/core-v1.ts';
import type { Stored } from './stored.ts';

export const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

/** kube-system comes first, because other bootstrap objects are in it. */
export const namespaces = (): Stored<Namespace>[] =>
  SYSTEM_NAMESPACES.map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }));
