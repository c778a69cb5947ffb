/** Which request it is, and its objects in the type of their kind. */
import type { EphemeralContainer, Container, Pod, PodSpec } from '../../api/generated/core-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionAttributes } from './admission.ts';

export type PodObject = Pod & KubeObject;

/** Requests for pods themselves, not for one of their subresources. */
export const isForPods = ({ served, subresource }: AdmissionAttributes): boolean =>
  served.plural === 'pods' && served.group === '' && subresource === '';

export const isFor = ({ served }: AdmissionAttributes, group: string, plural: string): boolean =>
  served.plural === plural && served.group === group;

export const podOf = ({ object }: AdmissionAttributes): PodObject => object as PodObject;

export const oldPodOf = ({ oldObject }: AdmissionAttributes): PodObject => oldObject as PodObject;

export const specOf = (pod: PodObject): PodSpec => pod.spec!;

const NO_CONTAINERS: readonly Container[] = [];

/** Init containers first, as checks report them. Most pods have regular ones only, whose list is returned as it is. */
export function allContainers({
  initContainers,
  containers,
  ephemeralContainers,
}: PodSpec): readonly (Container | EphemeralContainer)[] {
  if (!initContainers && !ephemeralContainers) return containers ?? NO_CONTAINERS;
  return [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
}

/** Static pods are shown by their kubelet with this annotation; nobody else may change what they are. */
export const MIRROR_POD = 'kubernetes.io/config.mirror';

export const isMirrorPod = ({ metadata }: PodObject): boolean => metadata.annotations?.[MIRROR_POD] !== undefined;
