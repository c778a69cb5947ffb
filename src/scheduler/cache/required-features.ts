import type { PodSpec } from '../../api/generated/core-v1.ts';

/** What a kubelet must be able to do for a pod, by the name under which it declares that. */
const REQUIRED_BY: Readonly<Record<string, (spec: PodSpec) => boolean>> = {
  RestartAllContainersOnContainerExits: (spec) => [...(spec.initContainers ?? []), ...spec.containers].some((c) => c.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers')),
  UserNamespacesHostNetworkSupport: (spec) => spec.hostNetwork === true && spec.hostUsers === false,
};

export function requiredFeatures(spec: PodSpec | undefined): string[] {
  return spec === undefined ? [] : Object.keys(REQUIRED_BY).filter((feature) => REQUIRED_BY[feature]!(spec));
}
