/** Kinds of containers: sidecars (restartable init containers) and long-running containers. */
import type { Container, PodSpec } from '../api/generated/core-v1.ts';

/** A sidecar: an init container that the kubelet keeps running beside the regular containers. */
export const isRestartableInitContainer = ({ restartPolicy }: Pick<Container, 'restartPolicy'>): boolean =>
  restartPolicy === 'Always';

/** The containers that run for as long as the pod does: the regular ones, then the sidecars. */
export const longRunningContainers = (
  spec: Pick<PodSpec, 'containers' | 'initContainers'> | undefined,
): Container[] => [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isRestartableInitContainer)];
