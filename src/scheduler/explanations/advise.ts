/** Advice for a pending pod: what would make it schedulable, in the present state of the cluster. */

import { findUntoleratedTaint } from '../../component-helpers/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import { Evaluation } from '../evaluation/evaluation.ts';
import type { Profile } from '../framework/profile.ts';
import type { Status } from '../framework/status.ts';
import type { Scheduler } from '../scheduler.ts';

/** Nodes are listed by name up to this number, and counted beyond. */
const MAX_NAMED_NODES = 3;

export function advise(scheduler: Scheduler, uid: string): string[] {
  const queued = scheduler.queue.get(uid);
  if (queued === undefined) return [];
  const { pod, profile } = queued;
  if (queued.gated)
    return [...queued.rejectors].map(
      (plugin) =>
        `${plugin} blocks the pod: ${profile.plugins.preEnqueue.find((p) => p.name === plugin)?.preEnqueue?.(pod)?.message ?? 'it will be retried soon'}`,
    );
  return helpFor(scheduler, evaluated(scheduler, pod, profile), pod);
}

/** In the present state of the cluster. */
export function evaluated({ cache, ctx }: Scheduler, pod: PodInfo, profile: Profile): Evaluation {
  const evaluation = new Evaluation({ profile, cache, random: ctx.random, pod, signature: undefined });
  evaluation.refresh(pod);
  return evaluation;
}

/** What would have to change so that the pod fits on a node. */
export function helpFor(scheduler: Scheduler, evaluation: Evaluation, pod: PodInfo): string[] {
  if (scheduler.cache.table.nodeCount === 0) return ['a node: the cluster has none'];
  if (evaluation.preFilterFailure !== undefined)
    return [`${evaluation.preFilterFailure.plugin} must be satisfied first: ${evaluation.preFilterFailure.message}`];
  if (evaluation.feasibleCount > 0)
    return [`nothing: ${evaluation.feasibleCount} node(s) fit now, and the pod will be retried`];
  return byPlugin(scheduler, pod, nodesByRejectingPlugin(scheduler, evaluation));
}

interface RejectedNode {
  readonly node: NodeInfo;
  readonly status: Status;
}

/**
 * Nodes that only one filter rejects, because they need the fewest changes. Without such nodes, all nodes by their
 * first filter.
 */
function nodesByRejectingPlugin({ cache }: Scheduler, evaluation: Evaluation): Map<string, RejectedNode[]> {
  const nearest = new Map<string, RejectedNode[]>();
  const others = new Map<string, RejectedNode[]>();
  for (const node of cache.table.existing()) {
    const firstStatus = evaluation.statusOf(node.slot);
    if (firstStatus === undefined) continue;
    const failing = evaluation.filterStatuses(node).filter((a) => a.status !== undefined);
    const into = failing.length === 1 ? nearest : others;
    const status = failing[0]?.status ?? firstStatus;
    into.set(status.plugin, [...(into.get(status.plugin) ?? []), { node, status }]);
  }
  return nearest.size > 0 ? nearest : others;
}

function byPlugin(
  scheduler: Scheduler,
  pod: PodInfo,
  rejected: ReadonlyMap<string, readonly RejectedNode[]>,
): string[] {
  const advice: string[] = [];
  for (const [plugin, nodes] of rejected) {
    const special = ADVISERS.get(plugin)?.(scheduler, pod, nodes);
    if (special !== undefined) advice.push(...special);
    else
      advice.push(
        `a change on ${named(nodes)} for the plugin ${plugin}: ${[...new Set(nodes.flatMap((n) => n.status.reasons))].join(', ')}`,
      );
  }
  return advice;
}

type Adviser = (scheduler: Scheduler, pod: PodInfo, nodes: readonly RejectedNode[]) => string[] | undefined;

const ADVISERS: ReadonlyMap<string, Adviser> = new Map(
  Object.entries<Adviser>({
    NodeResourcesFit: (scheduler, pod, nodes) => [resources(scheduler, pod, nodes)],
    NodeUnschedulable: (_scheduler, _pod, nodes) => [`uncordon ${named(nodes)}`],
    TaintToleration: (_scheduler, pod, nodes) => {
      const taints = new Map<string, RejectedNode[]>();
      for (const rejected of nodes) {
        const taint = findUntoleratedTaint(rejected.node.taints, pod.shape.tolerations);
        if (taint === undefined) continue;
        const text = `${taint.key}${taint.value ? `=${taint.value}` : ''}:${taint.effect}`;
        taints.set(text, [...(taints.get(text) ?? []), rejected]);
      }
      return Array.from(
        taints,
        ([text, rejected]) => `a toleration of the taint ${text}, or its removal from ${named(rejected)}`,
      );
    },
    NodeAffinity: (_scheduler, pod, nodes) => {
      const labels = Object.entries(pod.shape.nodeSelector ?? {}).map(([key, value]) => `${key}=${value}`);
      return [
        labels.length > 0
          ? `the labels ${labels.join(', ')} on ${named(nodes)}`
          : `labels on ${named(nodes)} that match the pod's node affinity`,
      ];
    },
    NodePorts: (_scheduler, pod, nodes) => [
      `a free host port ${pod.shape.hostPorts.map((p) => p.port).join(', ')} on ${named(nodes)}`,
    ],
  }),
);

/** The node with the smallest gap, resource by resource. */
function resources({ cache }: Scheduler, pod: PodInfo, nodes: readonly RejectedNode[]): string {
  const { table } = cache;
  const { milliCpu, memory, ephemeralStorage, scalars } = pod.shape.requests;
  let best: { node: NodeInfo; share: number; text: string } | undefined;
  for (const { node } of nodes) {
    const { slot } = node;
    const gaps: string[] = [];
    let share = 0;
    const check = (
      name: string,
      wanted: number,
      allocatable: number,
      requested: number,
      unit: (n: number) => string,
    ): void => {
      const free = allocatable - requested;
      const gap = wanted - free;
      if (wanted === 0 || gap <= 0) return;
      const other =
        wanted > allocatable ? `the whole node has ${unit(allocatable)}` : `or free ${unit(gap)} more of it`;
      gaps.push(
        free > 0
          ? `request at most ${unit(free)} ${name} (${unit(wanted)} is requested; ${other})`
          : wanted > allocatable
            ? `a larger node (it has ${unit(allocatable)} ${name}, ${unit(wanted)} is requested)`
            : `free ${unit(gap)} ${name}`,
      );
      share += gap / wanted;
    };
    check('cpu', milliCpu, table.allocatableCpu[slot]!, table.requestedCpu[slot]!, (n) => `${n}m`);
    check('memory', memory, table.allocatableMemory[slot]!, table.requestedMemory[slot]!, bytes);
    check(
      'ephemeral-storage',
      ephemeralStorage,
      table.allocatableEphemeral[slot]!,
      table.requestedEphemeral[slot]!,
      bytes,
    );
    for (const [name, amount] of scalars)
      check(name, amount, table.scalar(name).allocatable[slot]!, table.scalar(name).requested[slot]!, String);
    if (table.podCount[slot]! + 1 > table.allocatablePods[slot]!) gaps.push('room for one more pod');
    if (best === undefined || share < best.share) best = { node, share, text: gaps.join(' and ') };
  }
  return best === undefined ? 'more resources' : `${best.text} on node ${best.node.name}, which needs the least`;
}

const bytes = (n: number): string => (n >= 1024 ** 2 ? `${Math.ceil(n / 1024 ** 2)}Mi` : String(n));

function named(nodes: readonly RejectedNode[]): string {
  if (nodes.length > MAX_NAMED_NODES) return `${nodes.length} nodes`;
  return nodes.length === 1 ? `node ${nodes[0]!.node.name}` : `nodes ${nodes.map((n) => n.node.name).join(', ')}`;
}
