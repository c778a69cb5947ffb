import type { Node, Pod } from '../../../api/generated/core-v1.ts';
/** The plugin NodeDeclaredFeatures: pods that need a feature of the kubelet go only to nodes that declare it. */
import { featureEnabled } from '../../../machinery/index.ts';
import { requiredFeatures } from '../../cache/required-features.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import type { Handle } from '../../framework/handle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { alwaysShared } from '../../framework/profile.ts';
import { skip, unresolvable } from '../../framework/status.ts';

const NAME = 'NodeDeclaredFeatures';
const UNSATISFIED = unresolvable("node(s) didn't match Pod's required features");

export function nodeDeclaredFeatures({ featureGates }: Pick<Handle, 'featureGates'>): Plugin {
  const enabled = featureEnabled(NAME, featureGates);
  return {
    name: NAME,
    signature: alwaysShared,
    preFilter(state, pod) {
      const required = pod.shape.requiredFeatures;
      if (!enabled || required.length === 0) return { status: skip() };
      state.set(NAME, required);
      return undefined;
    },
    bindFilter(state) {
      const required = state.get<readonly string[]>(NAME) ?? [];
      return ({ node }) =>
        required.every((feature) => node?.status?.declaredFeatures?.includes(feature)) ? undefined : UNSATISFIED;
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
        hint: (pod, before, after) =>
          (after as Pod).metadata.uid === pod.uid &&
          requiredFeatures((before as Pod).spec).join() !== requiredFeatures((after as Pod).spec).join(),
      },
    ],
  };
}

const declared = (node: unknown): string => ((node as Node).status?.declaredFeatures ?? []).join();
