/** PodResizeValidator: a running pod can be resized only on Linux, and not beyond the node's allocatable resources. */
import type { Node } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { podRequests } from '../../component-helpers/index.ts';
import type { StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForResource, oldPodOf, podOf, specOf } from './request-objects.ts';

const OS_LABEL = 'kubernetes.io/os';

export const podResizeValidator: AdmissionPlugin = {
  name: 'PodResizeValidator',
  operations: ['UPDATE'],
  matches: (attributes) => isForResource(attributes, '', 'pods') && attributes.subresource === 'resize',
  validate(attributes) {
    const pod = podOf(attributes);
    const { nodeName } = specOf(pod);
    if (!nodeName || pod.metadata.generation === oldPodOf(attributes).metadata.generation) return;
    const node = attributes.registry.lookup('', 'v1', 'nodes', '', nodeName) as (Node & KubeObject) | undefined;
    if (!node) throw newForbidden(attributes, `node "${nodeName}" not found`);
    const os = node.metadata.labels?.[OS_LABEL] ?? 'linux';
    if (os !== 'linux')
      throw withCause(
        newForbidden(attributes, `pod resize is only supported on linux nodes, node "${nodeName}" is "${os}"`),
        'UnsupportedPlatform',
      );
    const insufficient = insufficientResources(attributes, node);
    if (insufficient.length > 0)
      throw withCause(
        newForbidden(attributes, `node didn't have enough allocatable resources: ${insufficient.join('; ')}`),
        'NodeCapacity',
      );
  },
};

function insufficientResources(attributes: AdmissionAttributes, { status }: Node): string[] {
  const requests = podRequests(specOf(podOf(attributes)), { withOverhead: true });
  const amount = (name: 'cpu' | 'memory', text: string | undefined): number => {
    if (text === undefined) return 0;
    return name === 'cpu' ? parseQuantity(text).milliValue() : parseQuantity(text).value();
  };
  return (['cpu', 'memory'] as const).flatMap((name) => {
    const requested = amount(name, requests.get(name)?.toString());
    const allocatable = amount(name, status?.allocatable?.[name]);
    return requested > allocatable ? [`${name}, requested: ${requested}, allocatable: ${allocatable}`] : [];
  });
}

function withCause(error: StatusError, reason: string): StatusError {
  error.status.details!.causes = [{ reason }];
  return error;
}
