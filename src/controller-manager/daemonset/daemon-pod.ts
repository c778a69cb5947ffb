/** The pod of a DaemonSet on one node, and whether the node should have one. */
import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Affinity, Node, Pod, PodSpec, Toleration } from '../../api/generated/core-v1.ts';
import { findUntoleratedTaint, podMatchesNode } from '../../component-helpers/index.ts';

export const HASH_LABEL = 'controller-revision-hash';
export const GENERATION_LABEL = 'pod-template-generation';
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';

/** Tolerations that the controller adds: daemon pods stay on unhealthy nodes. */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const HOST_NETWORK_TOLERATION: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

export const templateGeneration = (set: DaemonSet): string | undefined =>
  set.metadata.annotations?.[GENERATION_ANNOTATION];

function tolerationsOf(spec: PodSpec | undefined): Toleration[] {
  const added = spec?.hostNetwork ? [...DAEMON_TOLERATIONS, HOST_NETWORK_TOLERATION] : DAEMON_TOLERATIONS;
  const own = spec?.tolerations ?? [];
  const covers = (a: Toleration, b: Toleration): boolean =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? '') === (b.value ?? '');
  return [...own.filter((toleration) => !added.some((other) => covers(toleration, other))), ...added];
}

interface NodeVerdict {
  readonly shouldRun: boolean;
  /** Whether an existing pod may stay. NoSchedule taints do not evict it. */
  readonly mayStay: boolean;
}

export function verdictFor(set: DaemonSet, node: Node): NodeVerdict {
  const { spec } = set.spec?.template ?? {};
  if (spec?.nodeName && spec.nodeName !== node.metadata.name) return { shouldRun: false, mayStay: false };
  if (!podMatchesNode(spec, node)) return { shouldRun: false, mayStay: false };
  const taints = node.spec?.taints ?? [];
  const tolerations = tolerationsOf(spec);
  const mayStay = findUntoleratedTaint(taints, tolerations, ({ effect }) => effect === 'NoExecute') === undefined;
  return {
    shouldRun:
      mayStay && findUntoleratedTaint(taints, tolerations, ({ effect }) => effect === 'NoSchedule') === undefined,
    mayStay,
  };
}

/** The node that a pod is assigned to, or that its affinity selects. */
export function nodeOf(pod: Pod): string | undefined {
  if (pod.spec?.nodeName) return pod.spec.nodeName;
  const terms =
    pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms)
    for (const { key, operator, values } of matchFields)
      if (key === 'metadata.name' && operator === 'In' && values?.length === 1) return values[0];
  return undefined;
}

export function specFor(set: DaemonSet, nodeName: string): Partial<PodSpec> {
  const spec = set.spec?.template.spec;
  return { affinity: pinnedTo(spec?.affinity, nodeName), tolerations: tolerationsOf(spec) };
}

/** Replaces the required node affinity, which was checked before, so that the scheduler can only choose this node. */
function pinnedTo(affinity: Affinity | undefined, nodeName: string): Affinity {
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }];
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
}

export function isUpdated(pod: Pod, hash: string, generation: string | undefined): boolean {
  const { labels } = pod.metadata;
  return (
    (hash !== '' && labels?.[HASH_LABEL] === hash) ||
    (generation !== undefined && labels?.[GENERATION_LABEL] === generation)
  );
}
