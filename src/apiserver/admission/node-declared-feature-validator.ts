/** NodeDeclaredFeatureValidator: rejects updates of a running pod that need features its node does not declare. */
import type { Node } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForResource, oldPodOf, podOf, specOf, type PodObject } from './request-objects.ts';

export const nodeDeclaredFeatureValidator: AdmissionPlugin = {
  name: 'NodeDeclaredFeatureValidator',
  operations: ['UPDATE'],
  matches: (attributes) =>
    isForResource(attributes, '', 'pods') && (attributes.subresource === '' || attributes.subresource === 'resize'),
  validate(attributes) {
    const pod = podOf(attributes);
    const { nodeName } = specOf(pod);
    if (!nodeName) return;
    const required = requiredFeatures(pod, oldPodOf(attributes));
    if (required.length === 0) return;
    const node = attributes.registry.lookup('', 'v1', 'nodes', '', nodeName) as (Node & KubeObject) | undefined;
    if (!node) throw newForbidden(attributes, `node "${nodeName}" not found`);
    const declared = new Set(node.status?.declaredFeatures);
    const missing = required.filter((feature) => !declared.has(feature));
    if (missing.length > 0)
      throw newForbidden(
        attributes,
        `pod update requires features ${missing.join(', ')} which are not available on node "${nodeName}"`,
      );
  },
};

/** In alphabetical order, as upstream reports them. */
function requiredFeatures(pod: PodObject, old: PodObject): string[] {
  const features: string[] = [];
  const [spec, before] = [specOf(pod), specOf(old)];
  if (!deepEqual(spec.resources, before.resources)) features.push('InPlacePodLevelResourcesVerticalScaling');
  const resized = (before.initContainers ?? []).some(
    (container, i) =>
      !isRestartableInitContainer(container) &&
      !deepEqual(container.resources ?? {}, spec.initContainers?.[i]?.resources ?? {}),
  );
  if (resized) features.push('InPlacePodVerticalScalingInitContainers');
  return features;
}
