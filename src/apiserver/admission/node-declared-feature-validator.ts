/** NodeDeclaredFeatureValidator: a running pod changes only in ways that its node says it can follow. */
import type { Node } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isFor, oldPodOf, podOf, specOf, type PodObject } from './kinds.ts';
import { refuse } from './refuse.ts';

export const nodeDeclaredFeatureValidator: AdmissionPlugin = {
  name: 'NodeDeclaredFeatureValidator',
  operations: ['UPDATE'],
  matches: (attributes) =>
    isFor(attributes, '', 'pods') && (attributes.subresource === '' || attributes.subresource === 'resize'),
  validate(attributes) {
    const pod = podOf(attributes);
    const { nodeName } = specOf(pod);
    if (!nodeName) return;
    const needed = neededFeatures(pod, oldPodOf(attributes));
    if (needed.length === 0) return;
    const node = attributes.registry.lookup('', 'v1', 'nodes', '', nodeName) as (Node & KubeObject) | undefined;
    if (!node) throw refuse(attributes, `node "${nodeName}" not found`);
    const declared = new Set(node.status?.declaredFeatures);
    const missing = needed.filter((feature) => !declared.has(feature));
    if (missing.length > 0)
      throw refuse(
        attributes,
        `pod update requires features ${missing.join(', ')} which are not available on node "${nodeName}"`,
      );
  },
};

/** In alphabetical order, as they are reported. */
function neededFeatures(pod: PodObject, old: PodObject): string[] {
  const needed: string[] = [];
  const [spec, before] = [specOf(pod), specOf(old)];
  if (!deepEqual(spec.resources, before.resources)) needed.push('InPlacePodLevelResourcesVerticalScaling');
  const resized = (before.initContainers ?? []).some(
    (container, i) =>
      !isRestartableInitContainer(container) &&
      !deepEqual(container.resources ?? {}, spec.initContainers?.[i]?.resources ?? {}),
  );
  if (resized) needed.push('InPlacePodVerticalScalingInitContainers');
  return needed;
}
