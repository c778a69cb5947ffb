/** ExtendedResourceToleration: pods that ask for a device tolerate the taint that keeps others off the nodes with it. */
import { isExtendedResource } from '../../machinery/validation/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isForPods, podOf, specOf } from './kinds.ts';

export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  operations: ['CREATE', 'UPDATE'],
  matches: isForPods,
  admit(attributes) {
    const spec = specOf(podOf(attributes));
    const asked = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      Object.keys(resources?.requests ?? {}),
    );
    for (const key of [...new Set(asked)].filter(isExtendedResource).sort()) {
      const known = spec.tolerations?.some(
        (own) => own.key === key && own.operator === 'Exists' && own.effect === 'NoSchedule' && !own.value,
      );
      if (!known) spec.tolerations = [...(spec.tolerations ?? []), { key, operator: 'Exists', effect: 'NoSchedule' }];
    }
  },
};
