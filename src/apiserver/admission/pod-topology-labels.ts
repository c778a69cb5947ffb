/** PodTopologyLabels: copies the zone and region labels of the node to a pod that is bound to it. */
import type { Binding } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isForResource, podOf } from './request-objects.ts';

const TOPOLOGY_LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

export const podTopologyLabels: AdmissionPlugin = {
  name: 'PodTopologyLabels',
  operations: ['CREATE'],
  matches: (attributes) =>
    isForResource(attributes, '', 'pods') && (attributes.subresource === '' || attributes.subresource === 'binding'),
  admit(attributes) {
    const { object, subresource, registry } = attributes;
    const nodeName =
      subresource === 'binding' ? targetNode(object as Binding & KubeObject) : podOf(attributes).spec?.nodeName;
    const labels = nodeName ? registry.lookup('', 'v1', 'nodes', '', nodeName)?.metadata.labels : undefined;
    for (const key of TOPOLOGY_LABELS) {
      const value = ownValue(labels, key);
      if (value === undefined || ownValue(object!.metadata.labels, key) !== undefined) continue;
      (object!.metadata.labels ??= {})[key] = value;
      attributes.record?.changed(`metadata.labels[${key}]`);
    }
  },
};

const targetNode = ({ target }: Binding): string | undefined => (target.kind === 'Node' ? target.name : undefined);
