/** Which request it is, and its objects in the type of their kind. */
import type { EphemeralContainer, Container, Pod, PodSpec } from '../../api/generated/core-v1.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { AdmissionAttributes } from './admission.ts';

export type PodObject = Pod & KubeObject;

/** Requests for pods themselves, not for one of their subresources. */
export const isForPods = ({ served, subresource }: AdmissionAttributes): boolean => served.plural === 'pods' && served.group === '' && subresource === '';

export const isFor = ({ served }: AdmissionAttributes, group: string, plural: string): boolean => served.plural === plural && served.group === group;

export const podOf = ({ object }: AdmissionAttributes): PodObject => object as PodObject;

export const oldPodOf = ({ oldObject }: AdmissionAttributes): PodObject => oldObject as PodObject;

export const specOf = (pod: PodObject): PodSpec => pod.spec!;

/** Init containers first, as checks report them. */
export function* allContainers(spec: PodSpec): Generator<Container | EphemeralContainer> {
  yield* spec.initContainers ?? [];
  yield* spec.containers ?? [];
  yield* spec.ephemeralContainers ?? [];
}

/** Static pods are shown by their kubelet with this annotation; nobody else may change what they are. */
export const MIRROR_POD = 'kubernetes.io/config.mirror';

export const isMirrorPod = ({ metadata }: PodObject): boolean => metadata.annotations?.[MIRROR_POD] !== undefined;
