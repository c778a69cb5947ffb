/**
 * Node selectors and node affinity: which nodes they match. A selector is compiled once into a function, because the
 * scheduler evaluates it for thousands of nodes.
 */
import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from '../api/generated/core-v1.ts';
import { ownValue } from '../base/index.ts';

type Labels = Readonly<Record<string, string>>;

interface NodeLike {
  readonly name: string;
  readonly labels: Labels;
}

export type NodeMatcher = (node: NodeLike) => boolean;

const INTEGER = /^[-+]?\d+$/;

export const nodeLike = ({ metadata }: Node): NodeLike => ({
  name: metadata.name ?? '',
  labels: metadata.labels ?? {},
});

const labelOf = ({ labels }: NodeLike, key: string): string | undefined => ownValue(labels, key);

type ReadValue = (node: NodeLike) => string | undefined;

function requirementMatcher({ operator, values = [] }: NodeSelectorRequirement, read: ReadValue): NodeMatcher {
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
    // Validation refuses other operators; a term with one matches no node.
    default:
      return () => false;
  }
}

/** Matches nodes that meet all requirements of a term; a term without any matches no node. */
export function nodeSelectorTermMatcher({ matchExpressions, matchFields }: NodeSelectorTerm): NodeMatcher {
  const parts = [
    ...(matchExpressions ?? []).map((one) => requirementMatcher(one, (node) => labelOf(node, one.key))),
    ...(matchFields ?? []).map((one) =>
      requirementMatcher(one, ({ name }) => (one.key === 'metadata.name' ? name : undefined)),
    ),
  ];
  if (parts.length === 0) return () => false;
  if (parts.length === 1) return parts[0]!;
  return (node) => parts.every((part) => part(node));
}

/** Matches nodes that any term matches. */
export function nodeSelectorMatcher({ nodeSelectorTerms }: NodeSelector): NodeMatcher {
  const terms = nodeSelectorTerms.map(nodeSelectorTermMatcher);
  return (node) => terms.some((term) => term(node));
}

type PlacedPod = Pick<PodSpec, 'nodeSelector' | 'affinity'>;

/** A pod's nodeSelector and required node affinity; undefined when it has neither. */
export function requiredNodeMatcher({ nodeSelector, affinity }: PlacedPod): NodeMatcher | undefined {
  const labels = Object.entries(nodeSelector ?? {});
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const selected = required && nodeSelectorMatcher(required);
  if (labels.length === 0) return selected;
  return (node) =>
    labels.every(([key, value]) => labelOf(node, key) === value) && (selected === undefined || selected(node));
}

/** Whether a pod's nodeSelector and required node affinity allow the node. */
export const podMatchesNode = (spec: PlacedPod | undefined, node: Node): boolean =>
  spec === undefined || (requiredNodeMatcher(spec)?.(nodeLike(node)) ?? true);

/**
 * The nodes that a selector names by metadata.name, if every term does; no other node can match. A term that requires
 * two different names matches none.
 */
export function namedNodes({ nodeSelectorTerms }: NodeSelector): Set<string> | undefined {
  const names = new Set<string>();
  for (const { matchFields = [] } of nodeSelectorTerms) {
    let ofTerm: Set<string> | undefined;
    for (const { key, operator, values = [] } of matchFields) {
      if (key !== 'metadata.name' || operator !== 'In') continue;
      ofTerm = ofTerm === undefined ? new Set(values) : new Set(values.filter((value) => ofTerm!.has(value)));
    }
    if (ofTerm === undefined) return undefined;
    for (const name of ofTerm) names.add(name);
  }
  return names;
}
