/** The names by which the kubelet refers to a pod: UID, key and the format of messages. */
import type { Pod } from '../../api/generated/core-v1.ts';

/** `name_namespace(uid)`, as in upstream's messages. */
export const formatPod = ({ metadata: { name, namespace, uid } }: Pod): string => `${name}_${namespace}(${uid})`;

export const podKey = ({ metadata: { name = '', namespace = '' } }: Pod): string => `${namespace}/${name}`;

export const uidOf = (pod: Pod): string => pod.metadata.uid ?? '';
