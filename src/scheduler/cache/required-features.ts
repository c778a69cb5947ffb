import type { PodSpec } from '../../api/generated/core-v1.ts';
import { mayRestartAllContainers } from '../../component-helpers/index.ts';

/** The features of status.declaredFeatures that a pod needs from its node's kubelet. */
const REQUIRED_BY: ReadonlyMap<string, (spec: PodSpec) => boolean> = new Map(
  Object.entries<(spec: PodSpec) => boolean>({
    RestartAllContainersOnContainerExits: mayRestartAllContainers,
    UserNamespacesHostNetworkSupport: (spec) => spec.hostNetwork === true && spec.hostUsers === false,
  }),
);

export function requiredFeatures(spec: PodSpec | undefined): string[] {
  return spec === undefined ? [] : [...REQUIRED_BY.keys()].filter((feature) => REQUIRED_BY.get(feature)!(spec));
}
