import type { Node, Pod, PodSpec } from '../../../api/generated/core-v1.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import { featureEnabled } from '../../framework/feature-gates.ts';
import type { Handle } from '../../framework/handle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { skip, unresolvable } from '../../framework/status.ts';

const NAME = 'NodeDeclaredFeatures';
const UNSATISFIED = unresolvable("node(s) didn't match Pod's required features");

/** What a kubelet must be able to do for a pod, by the name under which it declares that. */
const REQUIRED_BY: Readonly<Record<string, (spec: PodSpec) => boolean>> = {
  RestartAllContainersOnContainerExits: (spec) => [...(spec.initContainers ?? []), ...spec.containers].some((c) => c.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers')),
  UserNamespacesHostNetworkSupport: (spec) => spec.hostNetwork === true && spec.hostUsers === false,
};

export function requiredFeatures(spec: PodSpec | undefined): string[] {
  return spec === undefined ? [] : Object.keys(REQUIRED_BY).filter((feature) => REQUIRED_BY[feature]!(spec));
}

/** Pods that need something of the kubelet go only to nodes that say they have it. */
export function nodeDeclaredFeatures({ featureGates }: Pick<Handle, 'featureGates'>): Plugin {
  const enabled = featureEnabled(featureGates, NAME);
  return {
    name: NAME,
    signature: (pod) => (enabled ? requiredFeatures(pod.pod.spec).join() : ''),
    preFilter(state, pod) {
      const required = enabled ? requiredFeatures(pod.pod.spec) : [];
      if (required.length === 0) return { status: skip() };
      state.set(NAME, required);
      return undefined;
    },
    bindFilter(state) {
      const required = state.get<readonly string[]>(NAME) ?? [];
      return ({ node }) => (required.every((feature) => node?.status?.declaredFeatures?.includes(feature)) ? undefined : UNSATISFIED);
    },
    eventsToRegister: () => [
      {
        resource: 'Node',
        action: Action.Add | Action.UpdateNodeDeclaredFeature,
        hint: (_pod, before, after) => before === undefined || declared(before) !== declared(after),
      },
      {
        resource: 'UnscheduledPod',
        action: ANY_UPDATE,
        hint: (pod, before, after) => (after as Pod).metadata.uid === pod.uid && requiredFeatures((before as Pod).spec).join() !== requiredFeatures((after as Pod).spec).join(),
      },
    ],
  };
}

const declared = (node: unknown): string => ((node as Node).status?.declaredFeatures ?? []).join();
