/** TaintNodesByCondition: new nodes get the not-ready taint, which the node controller removes when they are ready. */
import type { Node } from '../../api/generated/core-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isForResource } from './request-objects.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  operations: ['CREATE'],
  matches: (attributes) => isForResource(attributes, '', 'nodes') && attributes.subresource === '',
  admit({ object, record }) {
    const node = object as Node & KubeObject;
    const spec = (node.spec ??= {});
    if (spec.taints?.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return;
    spec.taints = [...(spec.taints ?? []), { ...NOT_READY }];
    record?.changed('spec.taints');
  },
};
