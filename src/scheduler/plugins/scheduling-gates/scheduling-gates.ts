/** The plugin SchedulingGates: pods with scheduling gates are not added to the active queue. */
import type { Pod } from '../../../api/generated/core-v1.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { unresolvable } from '../../framework/status.ts';

export function schedulingGates(): Plugin {
  return {
    name: 'SchedulingGates',
    preEnqueue(pod) {
      const gates = pod.pod.spec?.schedulingGates ?? [];
      if (gates.length === 0) return undefined;
      return unresolvable(`waiting for scheduling gates: [${gates.map((g) => g.name).join(' ')}]`);
    },
    eventsToRegister: () => [
      {
        resource: 'UnscheduledPod',
        action: Action.UpdatePodSchedulingGatesEliminated,
        hint: (pod, _before, after) => (after as Pod).metadata.uid === pod.uid,
      },
    ],
  };
}
