/**
 * The plugin NodeUnschedulable: cordoned nodes accept only pods that tolerate the taint
 * node.kubernetes.io/unschedulable.
 */
import type { Node, Pod } from '../../../api/generated/core-v1.ts';
import { toleratesTaint } from '../../../component-helpers/index.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { alwaysShared } from '../../framework/profile.ts';
import { unresolvable } from '../../framework/status.ts';

const TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const UNSCHEDULABLE = unresolvable('node(s) were unschedulable');

export function nodeUnschedulable(): Plugin {
  return {
    name: 'NodeUnschedulable',
    signature: alwaysShared,
    bindFilter(_state, pod) {
      const tolerated = pod.shape.tolerations.some((t) => toleratesTaint(t, TAINT));
      return tolerated ? () => undefined : (node) => (node.unschedulable ? UNSCHEDULABLE : undefined);
    },
    eventsToRegister: () => [
      {
        resource: 'Node',
        action: Action.Add | Action.UpdateNodeTaint,
        hint: (_pod, before, after) =>
          (after as Node).spec?.unschedulable !== true &&
          (before === undefined || (before as Node).spec?.unschedulable === true),
      },
      {
        resource: 'UnscheduledPod',
        action: Action.UpdatePodToleration,
        hint: (pod, _before, after) => (after as Pod).metadata.uid === pod.uid,
      },
    ],
  };
}
