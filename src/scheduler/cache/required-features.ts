import type { PodSpec } from '../../api/generated/core-v1.ts';

/** What a kubelet must be able to do for a pod, by the name under which it declares that. */
const REQUIRED_BY: ReadonlyMap<string, (spec: PodSpec) => boolean> = new Map(
  Object.entries<(spec: PodSpec) => boolean>({
    RestartAllContainersOnContainerExits: (spec) =>
      [...(spec.initContainers ?? []), ...spec.containers].some((c) =>
        c.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers'),
      ),
    UserNamespacesHostNetworkSupport: (spec) => spec.hostNetwork === true && spec.hostUsers === false,
  }),
);

export function requiredFeatures(spec: PodSpec | undefined): string[] {
  return spec === undefined ? [] : [...REQUIRED_BY.keys()].filter((feature) => REQUIRED_BY.get(feature)!(spec));
}
