import type { Pod } from '../../api/generated/core-v1.ts';

/** The pods informer's index by node. */
export const PODS_BY_NODE = 'nodeName';

export const nodeOfPod = (pod: Pod): string[] => (pod.spec?.nodeName ? [pod.spec.nodeName] : []);
