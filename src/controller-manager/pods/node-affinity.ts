/** Whether a node is one that a pod may be placed on. */
import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../../api/generated/core-v1.ts';

export function matchesNode(spec: PodSpec | undefined, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesSelector(required, node);
}

export const matchesSelector = (selector: NodeSelector, node: Node): boolean => selector.nodeSelectorTerms.some((term) => matchesTerm(term, node));

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return matchExpressions.every((requirement) => matchesRequirement(requirement, labels[requirement.key])) && matchFields.every((requirement) => matchesRequirement(requirement, requirement.key === 'metadata.name' ? node.metadata.name : undefined));
}

function matchesRequirement({ operator, values = [] }: NodeSelectorRequirement, actual: string | undefined): boolean {
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
      return actual !== undefined && isInteger(actual) && BigInt(actual) > BigInt(values[0] ?? '0');
    case 'Lt':
      return actual !== undefined && isInteger(actual) && BigInt(actual) < BigInt(values[0] ?? '0');
    default:
      return false;
  }
}

const isInteger = (text: string): boolean => /^-?\d+$/.test(text);
