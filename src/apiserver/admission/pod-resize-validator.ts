/** PodResizeValidator: a running pod cannot be resized beyond what its node has, and only on Linux. */
import type { Node } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { podRequests } from '../../component-helpers/index.ts';
import type { StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { isFor, oldPodOf, podOf, specOf } from './kinds.ts';
import { refuse } from './refuse.ts';

const OS_LABEL = 'kubernetes.io/os';

export const podResizeValidator: AdmissionPlugin = {
  name: 'PodResizeValidator',
  operations: ['UPDATE'],
  matches: (attributes) => isFor(attributes, '', 'pods') && attributes.subresource === 'resize',
  validate(attributes) {
    const pod = podOf(attributes);
    const { nodeName } = specOf(pod);
    if (!nodeName || pod.metadata.generation === oldPodOf(attributes).metadata.generation) return;
    const node = attributes.registry.lookup('', 'v1', 'nodes', '', nodeName) as (Node & KubeObject) | undefined;
    if (!node) throw refuse(attributes, `node "${nodeName}" not found`);
    const lacking = lackingResources(attributes, node);
    if (lacking.length > 0)
      throw withCause(
        refuse(attributes, `Node didn't have enough allocatable resources: ${lacking.join('; ')}`),
        'NodeCapacity',
      );
    const os = node.metadata.labels?.[OS_LABEL] ?? '';
    if (os !== 'linux')
      throw withCause(
        refuse(attributes, `pod resize is only supported on linux nodes, node "${nodeName}" is "${os}"`),
        'UnsupportedPlatform',
      );
  },
};

function lackingResources(attributes: AdmissionAttributes, { status }: Node): string[] {
  const asked = podRequests(specOf(podOf(attributes)), { withOverhead: true });
  const amount = (name: 'cpu' | 'memory', text: string | undefined): number => {
    if (text === undefined) return 0;
    return name === 'cpu' ? parseQuantity(text).milliValue() : parseQuantity(text).value();
  };
  return (['cpu', 'memory'] as const).flatMap((name) => {
    const requested = amount(name, asked.get(name)?.toString());
    const allocatable = amount(name, status?.allocatable?.[name]);
    return requested > allocatable ? [`${name}, requested: ${requested}, allocatable: ${allocatable}`] : [];
  });
}

function withCause(error: StatusError, reason: string): StatusError {
  error.status.details!.causes = [{ reason }];
  return error;
}
