/**
 * The scheduler's rules once more, as plainly as they can be written: every pod against every node, over API objects, with
 * nothing remembered. Tests compare it with the real thing.
 */
import type { Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../api/generated/meta-v1.ts';

export interface NaiveCluster {
  readonly nodes: readonly Node[];
  /** Pods with the node that each is on. */
  readonly pods: readonly { readonly pod: Pod; readonly nodeName: string }[];
}

type Labels = Readonly<Record<string, string>>;

const labelsOf = (object: { metadata: { labels?: Labels } }): Labels => object.metadata.labels ?? {};

function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels[key] !== value) return false;
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const value = labels[key];
    if (operator === 'In' && !(value !== undefined && values.includes(value))) return false;
    if (operator === 'NotIn' && value !== undefined && values.includes(value)) return false;
    if (operator === 'Exists' && value === undefined) return false;
    if (operator === 'DoesNotExist' && value !== undefined) return false;
  }
  return true;
}

/** In thousandths, so that all numbers are whole. */
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({ '': 1000, m: 1, Ki: 1000 * 1024, Mi: 1000 * 1024 ** 2, Gi: 1000 * 1024 ** 3 }),
);

function amount(text: string | undefined): number {
  const [, digits = '0', unit = ''] = /^(\d+)(m|Ki|Mi|Gi)?$/.exec(text ?? '0') ?? [];
  return Number(digits) * UNITS.get(unit)!;
}

function requestOf(pod: Pod, resource: string, fallback = 0): number {
  return (pod.spec?.containers ?? []).reduce(
    (sum, c) =>
      sum + (c.resources?.requests?.[resource] === undefined ? fallback : amount(c.resources.requests[resource])),
    0,
  );
}

const podsOn = (cluster: NaiveCluster, node: Node): Pod[] =>
  cluster.pods.filter((p) => p.nodeName === node.metadata.name).map((p) => p.pod);
const used = (cluster: NaiveCluster, node: Node, resource: string, fallback = 0): number =>
  podsOn(cluster, node).reduce((sum, pod) => sum + requestOf(pod, resource, fallback), 0);

function toleratesHard(pod: Pod, node: Node): boolean {
  return (node.spec?.taints ?? []).every(
    (taint) =>
      taint.effect === 'PreferNoSchedule' ||
      (pod.spec?.tolerations ?? []).some(
        (t) =>
          (!t.effect || t.effect === taint.effect) &&
          (!t.key || t.key === taint.key) &&
          (t.operator === 'Exists' || (t.value ?? '') === (taint.value ?? '')),
      ),
  );
}

function matchesNodeAffinity(pod: Pod, node: Node): boolean {
  for (const [key, value] of Object.entries(pod.spec?.nodeSelector ?? {}))
    if (labelsOf(node)[key] !== value) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    required === undefined ||
    required.nodeSelectorTerms.some((term) => selects({ matchExpressions: term.matchExpressions }, labelsOf(node)))
  );
}

function hasRoom(cluster: NaiveCluster, pod: Pod, node: Node): boolean {
  const allocatable = node.status?.allocatable ?? {};
  if ((podsOn(cluster, node).length + 1) * 1000 > amount(allocatable['pods'])) return false;
  return ['cpu', 'memory'].every(
    (r) => requestOf(pod, r) === 0 || requestOf(pod, r) + used(cluster, node, r) <= amount(allocatable[r]),
  );
}

function portsFree(cluster: NaiveCluster, pod: Pod, node: Node): boolean {
  const ports = (p: Pod): number[] =>
    (p.spec?.containers ?? []).flatMap((c) =>
      (c.ports ?? []).flatMap((port) => (port.hostPort ? [port.hostPort] : [])),
    );
  const taken = new Set(podsOn(cluster, node).flatMap(ports));
  return ports(pod).every((port) => !taken.has(port));
}

const termSelects = (term: PodAffinityTerm, owner: Pod, other: Pod): boolean =>
  (term.namespaces ?? [owner.metadata.namespace ?? '']).includes(other.metadata.namespace ?? '') &&
  selects(term.labelSelector, labelsOf(other));

const sameDomain = (a: Node, b: Node, key: string): boolean =>
  labelsOf(a)[key] !== undefined && labelsOf(a)[key] === labelsOf(b)[key];

function affinityHolds(cluster: NaiveCluster, pod: Pod, node: Node): boolean {
  const placed = cluster.pods.flatMap((p) =>
    cluster.nodes.filter((n) => n.metadata.name === p.nodeName).map((on) => ({ pod: p.pod, on })),
  );
  const wanted = pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const unwanted = pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (wanted.length > 0) {
    if (wanted.some((term) => labelsOf(node)[term.topologyKey] === undefined)) return false;
    const matching = placed.filter((p) => wanted.every((term) => termSelects(term, pod, p.pod)));
    const near = wanted.every((term) => matching.some((p) => sameDomain(p.on, node, term.topologyKey)));
    const none = !matching.some((p) => wanted.some((term) => labelsOf(p.on)[term.topologyKey] !== undefined));
    const first = none && wanted.every((term) => termSelects(term, pod, pod));
    if (!near && !first) return false;
  }
  if (
    unwanted.some((term) =>
      placed.some((p) => termSelects(term, pod, p.pod) && sameDomain(p.on, node, term.topologyKey)),
    )
  )
    return false;
  return !placed.some((p) =>
    (p.pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(
      (term) => termSelects(term, p.pod, pod) && sameDomain(p.on, node, term.topologyKey),
    ),
  );
}

const counts = (pod: Pod, node: Node, c: TopologySpreadConstraint): boolean =>
  (c.nodeAffinityPolicy === 'Ignore' || matchesNodeAffinity(pod, node)) &&
  (c.nodeTaintsPolicy !== 'Honor' || toleratesHard(pod, node));

const matchingPods = (cluster: NaiveCluster, pod: Pod, node: Node, c: TopologySpreadConstraint): number =>
  podsOn(cluster, node).filter(
    (p) =>
      p.metadata.deletionTimestamp === undefined &&
      p.metadata.namespace === pod.metadata.namespace &&
      selects(c.labelSelector, labelsOf(p)),
  ).length;

function spreadHolds(cluster: NaiveCluster, pod: Pod, node: Node): boolean {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
    (c) => c.whenUnsatisfiable === 'DoNotSchedule',
  );
  const eligible = cluster.nodes.filter((n) => constraints.every((c) => labelsOf(n)[c.topologyKey] !== undefined));
  return constraints.every((c) => {
    const value = labelsOf(node)[c.topologyKey];
    if (value === undefined) return false;
    const domains = new Map<string, number>();
    for (const n of eligible)
      if (counts(pod, n, c))
        domains.set(
          labelsOf(n)[c.topologyKey]!,
          (domains.get(labelsOf(n)[c.topologyKey]!) ?? 0) + matchingPods(cluster, pod, n, c),
        );
    if (domains.size === 0) return true;
    const least = domains.size < (c.minDomains ?? 1) ? 0 : Math.min(...domains.values());
    return (domains.get(value) ?? 0) + (selects(c.labelSelector, labelsOf(pod)) ? 1 : 0) - least <= c.maxSkew;
  });
}

/** Whether the pod may go to the node. */
export function naiveFits(cluster: NaiveCluster, pod: Pod, node: Node): boolean {
  const cordoned =
    node.spec?.unschedulable === true && !(pod.spec?.tolerations ?? []).some((t) => t.operator === 'Exists' && !t.key);
  return (
    !cordoned &&
    toleratesHard(pod, node) &&
    matchesNodeAffinity(pod, node) &&
    portsFree(cluster, pod, node) &&
    hasRoom(cluster, pod, node) &&
    spreadHolds(cluster, pod, node) &&
    affinityHolds(cluster, pod, node)
  );
}

const DEFAULT_CPU = 100;
const DEFAULT_MEMORY = 1000 * 200 * 1024 ** 2;

function leastAllocated(cluster: NaiveCluster, pod: Pod, node: Node): number {
  const score = (resource: string, fallback: number): number => {
    const capacity = amount(node.status?.allocatable?.[resource]);
    const wanted = used(cluster, node, resource, fallback) + requestOf(pod, resource, fallback);
    return wanted > capacity ? 0 : Math.floor(((capacity - wanted) * 100) / capacity);
  };
  return Math.floor((score('cpu', DEFAULT_CPU) + score('memory', DEFAULT_MEMORY)) / 2);
}

function balanced(cluster: NaiveCluster, pod: Pod, node: Node): number {
  if (requestOf(pod, 'cpu') === 0 && requestOf(pod, 'memory') === 0) return 0;
  const evenness = (more: number): number => {
    const share = (r: string): number =>
      Math.min(1, (used(cluster, node, r) + more * requestOf(pod, r)) / amount(node.status?.allocatable?.[r]));
    return Math.trunc((1 - Math.abs(share('cpu') - share('memory')) / 2) * 100);
  };
  return 50 + Math.trunc((50 + evenness(1) - evenness(0)) / 2);
}

function scaled(raw: readonly number[], reverse: boolean): number[] {
  const max = Math.max(0, ...raw);
  return raw.map((value) =>
    max === 0 ? (reverse ? 100 : 0) : reverse ? 100 - Math.floor((100 * value) / max) : Math.floor((100 * value) / max),
  );
}

function taintScores(pod: Pod, nodes: readonly Node[]): number[] {
  const tolerations = (pod.spec?.tolerations ?? []).filter((t) => !t.effect || t.effect === 'PreferNoSchedule');
  const disliked = nodes.map(
    (n) =>
      (n.spec?.taints ?? []).filter(
        (taint) =>
          taint.effect === 'PreferNoSchedule' &&
          !tolerations.some(
            (t) =>
              (!t.key || t.key === taint.key) && (t.operator === 'Exists' || (t.value ?? '') === (taint.value ?? '')),
          ),
      ).length,
  );
  return scaled(disliked, true);
}

function nodeAffinityScores(pod: Pod, nodes: readonly Node[]): number[] {
  const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return scaled(
    nodes.map((n) =>
      terms.reduce(
        (sum, t) => sum + (selects({ matchExpressions: t.preference.matchExpressions }, labelsOf(n)) ? t.weight : 0),
        0,
      ),
    ),
    false,
  );
}

function podAffinityScores(cluster: NaiveCluster, pod: Pod, nodes: readonly Node[]): number[] {
  const raw = nodes.map((node) => {
    let sum = 0;
    for (const { pod: other, nodeName } of cluster.pods) {
      const on = cluster.nodes.find((n) => n.metadata.name === nodeName);
      if (on === undefined) continue;
      const add = (term: PodAffinityTerm, owner: Pod, target: Pod, weight: number): void => {
        if (termSelects(term, owner, target) && sameDomain(on, node, term.topologyKey)) sum += weight;
      };
      for (const { weight, podAffinityTerm } of pod.spec?.affinity?.podAffinity
        ?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
        add(podAffinityTerm, pod, other, weight);
      for (const { weight, podAffinityTerm } of pod.spec?.affinity?.podAntiAffinity
        ?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
        add(podAffinityTerm, pod, other, -weight);
      for (const term of other.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
        add(term, other, pod, 1);
      for (const { weight, podAffinityTerm } of other.spec?.affinity?.podAffinity
        ?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
        add(podAffinityTerm, other, pod, weight);
      for (const { weight, podAffinityTerm } of other.spec?.affinity?.podAntiAffinity
        ?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
        add(podAffinityTerm, other, pod, -weight);
    }
    return sum;
  });
  const [min, max] = [Math.min(...raw), Math.max(...raw)];
  return raw.map((value) => (max > min ? Math.trunc(100 * ((value - min) / (max - min))) : 0));
}

function spreadScores(cluster: NaiveCluster, pod: Pod, nodes: readonly Node[]): number[] | undefined {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
    (c) => c.whenUnsatisfiable === 'ScheduleAnyway',
  );
  if (constraints.length === 0) return undefined;
  const labelled = (n: Node): boolean => constraints.every((c) => labelsOf(n)[c.topologyKey] !== undefined);
  const considered = nodes.filter(labelled);
  const raw = nodes.map((node) => {
    if (!labelled(node)) return undefined;
    let score = 0;
    for (const c of constraints) {
      const isHost = c.topologyKey === 'kubernetes.io/hostname';
      const size = isHost ? considered.length : new Set(considered.map((n) => labelsOf(n)[c.topologyKey])).size;
      const near = isHost
        ? [node]
        : cluster.nodes.filter((n) => labelled(n) && counts(pod, n, c) && sameDomain(n, node, c.topologyKey));
      score += near.reduce((sum, n) => sum + matchingPods(cluster, pod, n, c), 0) * Math.log(size + 2) + c.maxSkew - 1;
    }
    return Math.round(score);
  });
  const known = raw.filter((v) => v !== undefined);
  const [min, max] = [Math.min(...known), Math.max(0, ...known)];
  return raw.map((value) =>
    value === undefined ? 0 : max === 0 ? 100 : Math.floor((100 * (max + min - value)) / max),
  );
}

/** The weighted scores of the nodes that fit, without the parts that are the same for all. */
export function naiveScores(cluster: NaiveCluster, pod: Pod, nodes: readonly Node[]): number[] {
  const taints = taintScores(pod, nodes);
  const affinity = nodeAffinityScores(pod, nodes);
  const near = podAffinityScores(cluster, pod, nodes);
  const spread = spreadScores(cluster, pod, nodes);
  return nodes.map(
    (node, i) =>
      leastAllocated(cluster, pod, node) +
      balanced(cluster, pod, node) +
      3 * taints[i]! +
      2 * affinity[i]! +
      2 * near[i]! +
      2 * (spread?.[i] ?? 0),
  );
}
