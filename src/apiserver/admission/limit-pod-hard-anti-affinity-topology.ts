/** LimitPodHardAntiAffinityTopology: pods may keep others off their node, not off a whole zone. */
import type { AdmissionPlugin } from './admission.ts';
import { isForPods, podOf, specOf } from './kinds.ts';
import { refuse } from './refuse.ts';

const HOSTNAME = 'kubernetes.io/hostname';

export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  operations: ['CREATE', 'UPDATE'],
  matches: isForPods,
  validate(attributes) {
    const terms =
      specOf(podOf(attributes)).affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const wide = terms.find(({ topologyKey }) => topologyKey !== HOSTNAME);
    if (wide)
      throw refuse(
        attributes,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${HOSTNAME} is allowed`,
      );
  },
};
