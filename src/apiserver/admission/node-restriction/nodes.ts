/** NodeRestriction for Nodes: a kubelet may write its own Node, but not its taints, its owners or restricted labels. */
import type { Node } from '../../../api/generated/core-v1.ts';
import { deepEqual } from '../../../base/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import { newForbidden } from '../new-forbidden.ts';
import type { NodeRequest } from './node-request.ts';

type NodeObject = Node & KubeObject;
type Labels = Readonly<Record<string, string>>;

const KUBELET_LABELS = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);
const KUBELET_LABEL_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const RESTRICTED_DOMAIN = 'node-restriction.kubernetes.io';

export function admitNode({ nodeName, attributes }: NodeRequest): void {
  const { operation, name } = attributes;
  if (name !== nodeName) throw newForbidden(attributes, `node "${nodeName}" is not allowed to modify node "${name}"`);
  if (operation === 'DELETE') return;
  const node = attributes.object as NodeObject;
  const configSource = node.spec?.configSource;
  if (operation === 'CREATE') {
    if (configSource)
      throw newForbidden(attributes, `node "${nodeName}" is not allowed to create pods with a non-nil configSource`);
    const labels = forbiddenLabels(node.metadata.labels, {});
    if (labels.length > 0)
      throw newForbidden(
        attributes,
        `node "${nodeName}" is not allowed to set the following labels: ${labels.join(', ')}`,
      );
    return;
  }
  const old = attributes.oldObject as NodeObject;
  if (configSource && !deepEqual(configSource, old.spec?.configSource)) {
    throw newForbidden(
      attributes,
      `node "${nodeName}" is not allowed to update configSource to a new non-nil configSource`,
    );
  }
  if (!deepEqual(node.spec?.taints ?? [], old.spec?.taints ?? []))
    throw newForbidden(attributes, `node "${nodeName}" is not allowed to modify taints`);
  if (!deepEqual(node.metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? [])) {
    throw newForbidden(attributes, `node "${nodeName}" is not allowed to modify ownerReferences`);
  }
  const labels = forbiddenLabels(node.metadata.labels, old.metadata.labels);
  if (labels.length > 0) throw newForbidden(attributes, `is not allowed to modify labels: ${labels.join(', ')}`);
}

/** Labels that the request adds, changes or removes although kubelets may not set them. */
function forbiddenLabels(now: Labels = {}, before: Labels = {}): string[] {
  const changed = [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((key) => now[key] !== before[key]);
  return changed
    .filter((key) => isInDomain(key, RESTRICTED_DOMAIN) || (isKubernetesLabel(key) && !isKubeletLabel(key)))
    .sort();
}

function isInDomain(key: string, domain: string): boolean {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? '' : key.slice(0, slash);
  return prefix === domain || prefix.endsWith(`.${domain}`);
}

const isKubernetesLabel = (key: string): boolean => isInDomain(key, 'kubernetes.io') || isInDomain(key, 'k8s.io');

const isKubeletLabel = (key: string): boolean =>
  KUBELET_LABELS.has(key) || KUBELET_LABEL_DOMAINS.some((domain) => isInDomain(key, domain));
