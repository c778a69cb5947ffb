/** Which resource a request is for, and its objects with their types. */
import type { Pod, PodSpec } from '../../api/generated/core-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionAttributes } from './admission.ts';

export type PodObject = Pod & KubeObject;

/** True for pods themselves, not for their subresources. */
export const isForPods = ({ served, subresource }: AdmissionAttributes): boolean =>
  served.plural === 'pods' && served.group === '' && subresource === '';

export const isForResource = ({ served }: AdmissionAttributes, group: string, plural: string): boolean =>
  served.plural === plural && served.group === group;

export const podOf = ({ object }: AdmissionAttributes): PodObject => object as PodObject;

export const oldPodOf = ({ oldObject }: AdmissionAttributes): PodObject => oldObject as PodObject;

export const specOf = (pod: PodObject): PodSpec => pod.spec!;

/** A kubelet marks the mirror pods of its static pods with this annotation. */
export const MIRROR_POD = 'kubernetes.io/config.mirror';

export const isMirrorPod = ({ metadata }: PodObject): boolean => metadata.annotations?.[MIRROR_POD] !== undefined;
