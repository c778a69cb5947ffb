import type { PodInfo } from '../../cache/pod-info.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import { reasonsText } from '../../evaluation/fit-error.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import type { Handle } from '../../framework/handle.ts';
import type { FilterFailure, Plugin, PostFilterResult } from '../../framework/plugin.ts';
import { Status, unresolvable, unschedulable } from '../../framework/status.ts';
import { consultExtendersOnVictims } from './consult-extenders.ts';
import { pickNode } from './pick-node.ts';
import { clearLowerNominations, removeVictim } from './prepare-candidate.ts';
import { NO_VICTIMS, selectVictims, type Victims } from './select-victims.ts';
import { CANDIDATE, NO_CANDIDATE, NOT_TRIED, TriedVictims } from './tried-victims.ts';

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

  const preempt = (
    state: CycleState,
    pod: PodInfo,
    failure: FilterFailure,
  ): PostFilterResult | Promise<PostFilterResult> => {
    handle.metrics.preemptionAttempts.inc();
    const ineligible = whyNotEligible(handle, pod, failure);
    if (ineligible !== undefined) return { status: unschedulable(`preemption: ${ineligible}`) };
    const candidates = findCandidates(handle, state, pod, failure, { percentage, absolute });
    if (candidates.best === undefined)
      return { status: unschedulable(`preemption: ${notFound(failure, candidates.answers())}`), nominatedNodeName: '' };
    const interested = handle.extenders.filter((extender) => extender.preempts && extender.isInterested(pod));
    if (interested.length === 0) return makeRoom(pod, candidates.best);
    return consultExtendersOnVictims(handle, pod, candidates.all(), interested).then((left) => {
      const chosen = pickNode(left);
      return chosen === undefined
        ? { status: unschedulable('preemption: no candidate is left by extenders'), nominatedNodeName: '' }
        : makeRoom(pod, chosen);
    });
  };

  const makeRoom = (pod: PodInfo, chosen: Victims): PostFilterResult => {
    const nodeName = chosen.node.name;
    handle.metrics.preemptionVictims.observe(chosen.pods.length);
    preparing.add(pod.uid);
    handle.background(async (signal) => {
      try {
        clearLowerNominations(handle, pod, nodeName);
        const [last, ...others] = [...chosen.pods].reverse();
        await Promise.all(others.map((victim) => removeVictim(handle, { victim, preemptor: pod, nodeName, signal })));
        /** The deletion of the last one finds the pod ready to be tried. */
        preparing.delete(pod.uid);
        if (last !== undefined) await removeVictim(handle, { victim: last, preemptor: pod, nodeName, signal });
      } catch (error) {
        if (!signal.aborted)
          handle.logger.error(error, 'Error occurred during async preemption', { pod: pod.key, node: nodeName });
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
    preEnqueue: (pod) =>
      preparing.has(pod.uid) ? unresolvable('waiting for the preemption for this pod to be finished') : undefined,
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
    if (other.priority < pod.priority && other.terminating && isVictim(other))
      return 'not eligible due to a terminating pod on the nominated node.';
  }
  return undefined;
}

function isVictim(pod: PodInfo): boolean {
  return (
    pod.pod.status?.conditions?.some(
      (c) => c.type === 'DisruptionTarget' && c.status === 'True' && c.reason === 'PreemptionByScheduler',
    ) === true
  );
}

interface Candidates {
  /** Where preemption does the least harm. */
  readonly best: Victims | undefined;
  readonly all: () => Victims[];
  /** Why nodes are none, by how many. */
  readonly answers: () => Map<Status, number>;
}

/** Nodes are tried from a random one on, until there are enough candidates. */
function findCandidates(
  handle: Handle,
  state: CycleState,
  pod: PodInfo,
  failure: FilterFailure,
  limits: { percentage: number; absolute: number },
): Candidates {
  const { cache, random, listers } = handle;
  const potential = failure.resolvable();
  if (potential.length === 0 || !cache.priorities.anyBelow(pod.priority)) {
    return {
      best: undefined,
      all: () => [],
      answers: () => new Map(potential.length === 0 ? [] : [[NO_VICTIMS, potential.length]]),
    };
  }
  const budgets = listers.list('policy/v1/poddisruptionbudgets');
  const evaluation = handle.evaluationOf(state);
  const tried = triedBefore(handle, pod, evaluation, budgets.length > 0);
  const { verdicts } = tried;
  const wanted = Math.min(
    potential.length,
    Math.max(limits.absolute, Math.floor((potential.length * limits.percentage) / 100)),
  );
  const offset = random.integer(potential.length);
  const slotAt = (i: number): number =>
    potential[offset + i < potential.length ? offset + i : offset + i - potential.length]!;
  let best = -1;
  let found = 0;
  let asked = 0;
  for (; asked < potential.length && found < wanted; asked++) {
    const slot = slotAt(asked);
    if (verdicts[slot] === NOT_TRIED)
      tried.set(slot, selectVictims({ evaluation, pod, node: cache.table.nodes[slot]!, budgets }));
    if (verdicts[slot] !== CANDIDATE) continue;
    found++;
    if (best < 0 || tried.isLess(slot, best)) best = slot;
  }
  const slots = (verdict: number): number[] =>
    Array.from({ length: asked }, (_, i) => slotAt(i)).filter((slot) => verdicts[slot] === verdict);
  return {
    best: best < 0 ? undefined : tried.victims(best),
    all: () => slots(CANDIDATE).map((slot) => tried.victims(slot)),
    answers: () => {
      const counts = new Map<Status, number>();
      for (const slot of slots(NO_CANDIDATE)) counts.set(tried.status(slot), (counts.get(tried.status(slot)) ?? 0) + 1);
      return counts;
    },
  };
}

/** Where only the node matters, what was found for an equal pod still holds. */
function triedBefore(handle: Handle, pod: PodInfo, evaluation: Evaluation, hasBudgets: boolean): TriedVictims {
  const { capacity } = handle.cache.table;
  if (hasBudgets || !dependsOnNodeAlone(handle, pod)) return new TriedVictims(capacity);
  if (evaluation.tried instanceof TriedVictims) return evaluation.tried;
  const tried = new TriedVictims(capacity);
  evaluation.tried = tried;
  return tried;
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
