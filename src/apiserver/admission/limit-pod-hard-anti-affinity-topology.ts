/** LimitPodHardAntiAffinityTopology: required pod anti-affinity may only use the topology key kubernetes.io/hostname. */
import type { AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForPods, podOf, specOf } from './request-objects.ts';

const HOSTNAME = 'kubernetes.io/hostname';

export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  operations: ['CREATE', 'UPDATE'],
  matches: isForPods,
  validate(attributes) {
    const terms =
      specOf(podOf(attributes)).affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const forbidden = terms.find(({ topologyKey }) => topologyKey !== HOSTNAME);
    if (forbidden)
      throw newForbidden(
        attributes,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${forbidden.topologyKey} but only key ${HOSTNAME} is allowed`,
      );
  },
};
