import type { Pod } from '../../api/generated/core-v1.ts';

/** `name_namespace(uid)`: how messages name a pod. */
export const formatPod = ({ metadata: { name, namespace, uid } }: Pod): string => `${name}_${namespace}(${uid})`;

export const podKey = ({ metadata: { name = '', namespace = '' } }: Pod): string => `${namespace}/${name}`;

export const uidOf = (pod: Pod): string => pod.metadata.uid ?? '';
