import type { PodInfo } from '../../cache/pod-info.ts';
import { reasonsText } from '../../evaluation/fit-error.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { Handle } from '../../framework/handle.ts';
import type { FilterFailure, Plugin, PostFilterResult } from '../../framework/plugin.ts';
import { Status, unresolvable, unschedulable } from '../../framework/status.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import { consultExtendersOnVictims } from './consult-extenders.ts';
import { pickNode } from './pick-node.ts';
import { clearLowerNominations, removeVictim } from './prepare-candidate.ts';
import { NO_VICTIMS, selectVictims, type Victims } from './select-victims.ts';

export interface DefaultPreemptionArgs {
  readonly minCandidateNodesPercentage?: number;
  readonly minCandidateNodesAbsolute?: number;
}

const NAME = 'DefaultPreemption';
const NOT_HELPFUL = new Status('UnschedulableAndUnresolvable', ['Preemption is not helpful for scheduling']);

/** Makes room for a pod by removing less important ones, where that does the least harm. */
export function defaultPreemption(args: DefaultPreemptionArgs, handle: Handle): Plugin {
  const percentage = args.minCandidateNodesPercentage ?? 10;
  const absolute = args.minCandidateNodesAbsolute ?? 100;
  /** Pods whose victims are being deleted: trying them before that is done would be in vain. */
  const preparing = new Set<string>();

  const preempt = (state: CycleState, pod: PodInfo, failure: FilterFailure): PostFilterResult | Promise<PostFilterResult> => {
    handle.metrics.preemptionAttempts.inc();
    const ineligible = whyNotEligible(handle, pod, failure);
    if (ineligible !== undefined) return { status: unschedulable(`preemption: ${ineligible}`) };
    const { candidates, answers } = findCandidates(handle, state, pod, failure, { percentage, absolute });
    if (candidates.length === 0) return { status: unschedulable(`preemption: ${notFound(failure, answers)}`), nominatedNodeName: '' };
    const interested = handle.extenders.filter((extender) => extender.preempts && extender.isInterested(pod));
    if (interested.length === 0) return choose(pod, candidates);
    return consultExtendersOnVictims(handle, pod, candidates, interested).then((left) =>
      left.length === 0 ? { status: unschedulable('preemption: no candidate is left by extenders'), nominatedNodeName: '' } : choose(pod, left),
    );
  };

  const choose = (pod: PodInfo, candidates: readonly Victims[]): PostFilterResult => {
    const chosen = pickNode(candidates)!;
    const nodeName = chosen.node.name;
    handle.metrics.preemptionVictims.observe(chosen.pods.length);
    preparing.add(pod.uid);
    handle.background('preemption', async (signal) => {
      try {
        clearLowerNominations(handle, pod, nodeName);
        const [last, ...others] = [...chosen.pods].reverse();
        await Promise.all(others.map((victim) => removeVictim(handle, { victim, preemptor: pod, nodeName, signal })));
        /** The deletion of the last one finds the pod ready to be tried. */
        preparing.delete(pod.uid);
        if (last !== undefined) await removeVictim(handle, { victim: last, preemptor: pod, nodeName, signal });
      } catch (error) {
        if (!signal.aborted) handle.logger.error(error, 'Error occurred during async preemption', { pod: pod.key, node: nodeName });
        preparing.delete(pod.uid);
        handle.activate([pod.uid]);
      } finally {
        preparing.delete(pod.uid);
        handle.ungate(pod.uid);
      }
    });
    return { status: undefined, nominatedNodeName: nodeName };
  };

  return {
    name: NAME,
    preEnqueue: (pod) => (preparing.has(pod.uid) ? unresolvable('waiting for the preemption for this pod to be finished') : undefined),
    postFilter: preempt,
    eventsToRegister: () => [{ resource: 'AssignedPod', action: Action.Delete }],
  };
}

/** Whoever is waiting for room already need not make more of it. */
function whyNotEligible({ cache }: Handle, pod: PodInfo, failure: FilterFailure): string | undefined {
  if (pod.pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = cache.nominator.nodeOf(pod.uid) ?? pod.nominatedNodeName;
  const node = nominated === '' ? undefined : cache.table.get(nominated);
  if (node === undefined || failure.statusOf(node.slot)?.code === 'UnschedulableAndUnresolvable') return undefined;
  for (const other of node.pods.values()) {
    if (other.priority < pod.priority && other.terminating && isVictim(other)) return 'not eligible due to a terminating pod on the nominated node.';
  }
  return undefined;
}

function isVictim(pod: PodInfo): boolean {
  return pod.pod.status?.conditions?.some((c) => c.type === 'DisruptionTarget' && c.status === 'True' && c.reason === 'PreemptionByScheduler') === true;
}

interface Candidates {
  readonly candidates: Victims[];
  /** Why others are none. */
  readonly answers: Map<Status, number>;
}

function findCandidates(handle: Handle, state: CycleState, pod: PodInfo, failure: FilterFailure, limits: { percentage: number; absolute: number }): Candidates {
  const { cache, random, listers } = handle;
  const potential = failure.resolvable();
  const answers = new Map<Status, number>();
  const candidates: Victims[] = [];
  if (potential.length === 0) return { candidates, answers };
  if (!cache.priorities.anyBelow(pod.priority)) {
    answers.set(NO_VICTIMS, potential.length);
    return { candidates, answers };
  }
  const budgets = listers.list('policy/v1/poddisruptionbudgets');
  const evaluation = handle.evaluationOf(state);
  const wanted = Math.min(potential.length, Math.max(limits.absolute, Math.floor((potential.length * limits.percentage) / 100)));
  const offset = random.integer(potential.length);
  /** Where only the node matters, what was found for an equal pod still holds. */
  const known = budgets.length === 0 && dependsOnNodeAlone(handle, pod) ? (evaluation.tried as Map<number, Victims | Status>) : undefined;
  for (let i = 0; i < potential.length && candidates.length < wanted; i++) {
    const node = cache.table.nodes[potential[(offset + i) % potential.length]!]!;
    const result = known?.get(node.slot) ?? selectVictims({ evaluation, pod, node, budgets });
    known?.set(node.slot, result);
    if (!(result instanceof Status)) {
      if (result.pods.length > 0) candidates.push(result);
    } else answers.set(result, (answers.get(result) ?? 0) + 1);
  }
  return { candidates, answers };
}

function dependsOnNodeAlone({ cache }: Handle, { shape }: PodInfo): boolean {
  if (shape.hasAffinity || shape.spreadConstraints.length > 0 || shape.volumes.length > 0) return false;
  for (const _ of cache.placements.withRequiredAntiAffinity()) return false;
  return true;
}

function notFound(failure: FilterFailure, answers: ReadonlyMap<Status, number>): string {
  const all = Array.from(answers, ([status, nodes]) => ({ status, nodes }));
  const asked = all.reduce((sum, { nodes }) => sum + nodes, 0);
  if (failure.totalNodes > asked) all.push({ status: NOT_HELPFUL, nodes: failure.totalNodes - asked });
  return `0/${failure.totalNodes} nodes are available: ${reasonsText(all)}.`;
}
