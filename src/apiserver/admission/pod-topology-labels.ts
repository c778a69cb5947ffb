/** PodTopologyLabels: a pod takes over the zone and region of the node that it is bound to. */
import type { Binding } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isFor, podOf } from './kinds.ts';

const COPIED = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

export const podTopologyLabels: AdmissionPlugin = {
  name: 'PodTopologyLabels',
  operations: ['CREATE'],
  matches: (attributes) =>
    isFor(attributes, '', 'pods') && (attributes.subresource === '' || attributes.subresource === 'binding'),
  admit(attributes) {
    const { object, subresource, registry } = attributes;
    const nodeName =
      subresource === 'binding' ? targetNode(object as Binding & KubeObject) : podOf(attributes).spec?.nodeName;
    const labels = nodeName ? registry.lookup('', 'v1', 'nodes', '', nodeName)?.metadata.labels : undefined;
    for (const key of COPIED) {
      const value = ownValue(labels, key);
      if (value !== undefined && ownValue(object!.metadata.labels, key) === undefined)
        (object!.metadata.labels ??= {})[key] = value;
    }
  },
};

const targetNode = ({ target }: Binding): string | undefined => (target.kind === 'Node' ? target.name : undefined);
