/** Whether a pod may be on this node: its node selector and required affinity, its taints, its operating system. */
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, Taint, Toleration } from '../../api/generated/core-v1.ts';

export function matchesNode({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return matchExpressions.every((requirement) => matches(requirement, metadata.labels?.[requirement.key])) && matchFields.every((requirement) => matches(requirement, requirement.key === 'metadata.name' ? metadata.name : undefined));
}

function matches({ operator, values = [] }: NodeSelectorRequirement, actual: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return actual !== undefined && values.includes(actual);
    case 'NotIn':
      return actual === undefined || !values.includes(actual);
    case 'Exists':
      return actual !== undefined;
    case 'DoesNotExist':
      return actual === undefined;
    case 'Gt':
    case 'Lt': {
      if (actual === undefined || !/^-?\d+$/.test(actual)) return false;
      const [wanted, has] = [BigInt(values[0] ?? '0'), BigInt(actual)];
      return operator === 'Gt' ? has > wanted : has < wanted;
    }
    default:
      return false;
  }
}

/** The first taint that evicts and that the pod does not tolerate. */
export function untoleratedTaint({ spec }: Pod, { spec: nodeSpec }: Node): Taint | undefined {
  return nodeSpec?.taints?.find((taint) => taint.effect === 'NoExecute' && !spec?.tolerations?.some((toleration) => tolerates(toleration, taint)));
}

function tolerates({ effect, key, operator = 'Equal', value = '' }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}
