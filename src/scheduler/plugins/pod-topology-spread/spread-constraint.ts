import type { TopologySpreadConstraint } from '../../../api/generated/core-v1.ts';
import { ownValue } from '../../../base/index.ts';
import { type NodeMatcher, findUntoleratedTaint, requiredNodeMatcher } from '../../../component-helpers/index.ts';
import { LabelRequirement, LabelSelectorMatcher, labelSelectorAsSelector } from '../../../machinery/selectors/index.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { NodeTable } from '../../cache/node-table.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { PodShape } from '../../cache/pod-shape.ts';
import type { Topology } from '../../cache/topology.ts';

/** A compiled topology spread constraint. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topology: Topology;
  readonly selector: LabelSelectorMatcher;
  readonly minDomains: number;
  /** Whether pods on this node are counted, by nodeAffinityPolicy and nodeTaintsPolicy. */
  readonly counts: (node: NodeInfo) => boolean;
}

/** The pod's constraints of one kind, or the default ones when the pod has no constraints. */
export function constraintsOf(options: {
  pod: PodInfo;
  table: NodeTable;
  kind: 'DoNotSchedule' | 'ScheduleAnyway';
  defaults: readonly TopologySpreadConstraint[];
  defaultSelector: () => LabelSelectorMatcher | undefined;
}): SpreadConstraint[] {
  const { pod, table, kind, defaults } = options;
  const own = pod.shape.spreadConstraints;
  if (own.length > 0) {
    return own
      .filter((c) => c.whenUnsatisfiable === kind)
      .map((c) => compile(c, selectorWithLabelKeys(c, pod.shape), pod, table));
  }
  const wanted = defaults.filter((c) => c.whenUnsatisfiable === kind);
  if (wanted.length === 0) return [];
  const selector = options.defaultSelector();
  return selector === undefined ? [] : wanted.map((c) => compile(c, selector, pod, table));
}

function compile(
  constraint: TopologySpreadConstraint,
  selector: LabelSelectorMatcher,
  pod: PodInfo,
  table: NodeTable,
): SpreadConstraint {
  const affinity: NodeMatcher | undefined =
    constraint.nodeAffinityPolicy === 'Ignore' ? undefined : requiredNodeMatcher(pod.shape);
  const honorTaints = constraint.nodeTaintsPolicy === 'Honor';
  const { tolerations } = pod.shape;
  return {
    maxSkew: constraint.maxSkew,
    topology: table.topology(constraint.topologyKey),
    selector,
    minDomains: constraint.minDomains ?? 1,
    counts: (node) =>
      (affinity === undefined || affinity(node)) &&
      !(honorTaints && findUntoleratedTaint(node.taints, tolerations) !== undefined),
  };
}

/** The selector with the requirements of matchLabelKeys. */
function selectorWithLabelKeys(constraint: TopologySpreadConstraint, shape: PodShape): LabelSelectorMatcher {
  const selector = labelSelectorAsSelector(constraint.labelSelector);
  const more = (constraint.matchLabelKeys ?? [])
    .filter((key) => ownValue(shape.labels, key) !== undefined)
    .map((key) => new LabelRequirement(key, 'in', [ownValue(shape.labels, key)!]));
  return more.length === 0 || selector.matchesNothing
    ? selector
    : new LabelSelectorMatcher([...selector.requirements, ...more]);
}

export function counted(selector: LabelSelectorMatcher, namespace: string, other: PodShape): boolean {
  return other.namespace === namespace && selector.matches(other.labels);
}
