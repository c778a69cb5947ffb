/** The containers of a pod: all of them, sidecars (restartable init containers) and long-running containers. */
import type { Container, EphemeralContainer, PodSpec } from '../api/generated/core-v1.ts';

const NO_CONTAINERS: readonly Container[] = [];

/** Init containers come first, as upstream reports them. Most pods have regular containers only: no list is built for them. */
export function allContainers(
  spec: Partial<Pick<PodSpec, 'initContainers' | 'containers' | 'ephemeralContainers'>> | undefined,
): readonly (Container | EphemeralContainer)[] {
  const { initContainers, containers, ephemeralContainers } = spec ?? {};
  if (!initContainers && !ephemeralContainers) return containers ?? NO_CONTAINERS;
  return [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
}

/** A sidecar: an init container that the kubelet keeps running beside the regular containers. */
export const isRestartableInitContainer = ({ restartPolicy }: Pick<Container, 'restartPolicy'>): boolean =>
  restartPolicy === 'Always';

/** The containers that run for as long as the pod does: the regular ones, then the sidecars. */
export const longRunningContainers = (
  spec: Pick<PodSpec, 'containers' | 'initContainers'> | undefined,
): Container[] => [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isRestartableInitContainer)];
