import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '../../../api/generated/core-v1.ts';

type Labels = Readonly<Record<string, string>>;

export interface NodeLike {
  readonly name: string;
  readonly labels: Labels;
}

export type NodeMatcher = (node: NodeLike) => boolean;

const INTEGER = /^[-+]?\d+$/;

export function nodeLike(node: Node): NodeLike {
  return { name: node.metadata.name ?? '', labels: node.metadata.labels ?? {} };
}

function requirement({ key, operator, values = [] }: NodeSelectorRequirement, read: (node: NodeLike) => string | undefined): NodeMatcher {
  switch (operator) {
    case 'In': {
      const wanted = new Set(values);
      return (node) => {
        const value = read(node);
        return value !== undefined && wanted.has(value);
      };
    }
    case 'NotIn': {
      const unwanted = new Set(values);
      return (node) => {
        const value = read(node);
        return value === undefined || !unwanted.has(value);
      };
    }
    case 'Exists':
      return (node) => read(node) !== undefined;
    case 'DoesNotExist':
      return (node) => read(node) === undefined;
    case 'Gt':
    case 'Lt': {
      const bound = values[0] ?? '';
      if (!INTEGER.test(bound)) return () => false;
      const limit = BigInt(bound);
      return (node) => {
        const value = read(node);
        if (value === undefined || !INTEGER.test(value)) return false;
        return operator === 'Gt' ? BigInt(value) > limit : BigInt(value) < limit;
      };
    }
    default:
      throw new Error(`${JSON.stringify(operator)} is not a valid node selector operator for ${key}`);
  }
}

/** All requirements of a term; a term without any matches nothing. */
export function termMatcher(term: NodeSelectorTerm): NodeMatcher {
  const parts = [
    ...(term.matchExpressions ?? []).map((r) => requirement(r, (node) => (Object.hasOwn(node.labels, r.key) ? node.labels[r.key] : undefined))),
    ...(term.matchFields ?? []).map((r) => requirement(r, (node) => (r.key === 'metadata.name' ? node.name : undefined))),
  ];
  if (parts.length === 0) return () => false;
  if (parts.length === 1) return parts[0]!;
  return (node) => parts.every((part) => part(node));
}

/** Any of the terms. */
export function selectorMatcher(selector: NodeSelector): NodeMatcher {
  const terms = selector.nodeSelectorTerms.map(termMatcher);
  return (node) => terms.some((term) => term(node));
}

/** A pod's nodeSelector and required node affinity; undefined when it has neither. */
export function requiredNodeMatcher(pod: { nodeSelector?: Labels | undefined; affinity?: { nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector } } | undefined }): NodeMatcher | undefined {
  const labels = Object.entries(pod.nodeSelector ?? {});
  const required = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const affinity = required && selectorMatcher(required);
  if (labels.length === 0) return affinity;
  return (node) => labels.every(([key, value]) => node.labels[key] === value) && (affinity === undefined || affinity(node));
}

/**
 * The nodes that a selector names by metadata.name, if every term does; then no others need be looked at. A term that
 * names different nodes at once names none.
 */
export function namedNodes(selector: NodeSelector): Set<string> | undefined {
  const names = new Set<string>();
  for (const term of selector.nodeSelectorTerms) {
    let ofTerm: Set<string> | undefined;
    for (const { key, operator, values = [] } of term.matchFields ?? []) {
      if (key !== 'metadata.name' || operator !== 'In') continue;
      ofTerm = ofTerm === undefined ? new Set(values) : new Set(values.filter((v) => ofTerm!.has(v)));
    }
    if (ofTerm === undefined) return undefined;
    for (const name of ofTerm) names.add(name);
  }
  return names;
}
