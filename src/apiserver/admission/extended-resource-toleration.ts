/** ExtendedResourceToleration: pods that request an extended resource tolerate the taint of the nodes that have it. */
import { isExtendedResource } from '../../machinery/validation/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isForPods, podOf, specOf } from './request-objects.ts';

export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  operations: ['CREATE', 'UPDATE'],
  matches: isForPods,
  admit(attributes) {
    const spec = specOf(podOf(attributes));
    const requested = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      Object.keys(resources?.requests ?? {}),
    );
    for (const key of [...new Set(requested)].filter(isExtendedResource).sort()) {
      const tolerated = spec.tolerations?.some(
        (toleration) =>
          toleration.key === key &&
          toleration.operator === 'Exists' &&
          toleration.effect === 'NoSchedule' &&
          !toleration.value,
      );
      if (tolerated) continue;
      spec.tolerations = [...(spec.tolerations ?? []), { key, operator: 'Exists', effect: 'NoSchedule' }];
      attributes.record?.changed('spec.tolerations');
    }
  },
};
