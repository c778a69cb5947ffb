/**
 * The plugin DefaultPreemption: when no node fits a pod, it deletes pods of lower priority on the node where that does
 * the least harm, and nominates that node.
 */
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import { reasonsText } from '../../evaluation/fit-error.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import type { Handle } from '../../framework/handle.ts';
import type { FilterFailure, Plugin, PostFilterResult } from '../../framework/plugin.ts';
import { Status, unresolvable, unschedulable } from '../../framework/status.ts';
import { callExtenders } from './call-extenders.ts';
import { CANDIDATE, DryRunResults, NO_CANDIDATE, NOT_TRIED } from './dry-run-results.ts';
import { clearLowerNominations, deleteVictim } from './prepare-candidate.ts';
import { NO_VICTIMS, selectVictims } from './select-victims.ts';
import { pickNode, type Victims } from './victims.ts';

interface DefaultPreemptionArgs {
  readonly minCandidateNodesPercentage?: number;
  readonly minCandidateNodesAbsolute?: number;
}

const NAME = 'DefaultPreemption';
const NOT_HELPFUL = new Status('UnschedulableAndUnresolvable', ['Preemption is not helpful for scheduling']);

export function defaultPreemption(args: DefaultPreemptionArgs, handle: Handle): Plugin {
  const percentage = args.minCandidateNodesPercentage ?? 10;
  const absolute = args.minCandidateNodesAbsolute ?? 100;
  /** Pods whose victims are being deleted. They stay gated until that is done. */
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
    if (interested.length === 0) return prepareCandidate(pod, candidates.best);
    return callExtenders(handle, pod, candidates.all(), interested).then((left) => {
      const chosen = pickNode(left);
      return chosen === undefined
        ? { status: unschedulable('preemption: no candidate is left by extenders'), nominatedNodeName: '' }
        : prepareCandidate(pod, chosen);
    });
  };

  const prepareCandidate = (pod: PodInfo, chosen: Victims): PostFilterResult => {
    const nodeName = chosen.node.name;
    handle.metrics.preemptionVictims.observe(chosen.pods.length);
    preparing.add(pod.uid);
    handle.background(async (signal) => {
      try {
        clearLowerNominations(handle, pod, nodeName);
        const [last, ...others] = [...chosen.pods].reverse();
        await Promise.all(others.map((victim) => deleteVictim(handle, { victim, preemptor: pod, nodeName, signal })));
        // The deletion event of the last victim must find the pod ungated.
        preparing.delete(pod.uid);
        if (last !== undefined) await deleteVictim(handle, { victim: last, preemptor: pod, nodeName, signal });
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

/** A pod whose victims are still terminating on its nominated node must not preempt more pods. */
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
  /** Why nodes are no candidates, with the number of nodes. */
  readonly answers: () => Map<Status, number>;
}

/** A dry run of preemption on nodes, from a random one on, until there are enough candidates. */
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
  const results = dryRunResults(handle, pod, evaluation, budgets.length > 0);
  const { verdicts } = results;
  const numCandidates = Math.min(
    potential.length,
    Math.max(limits.absolute, Math.floor((potential.length * limits.percentage) / 100)),
  );
  const offset = random.integer(potential.length);
  const slotAt = (i: number): number =>
    potential[offset + i < potential.length ? offset + i : offset + i - potential.length]!;
  let best = -1;
  let found = 0;
  let visited = 0;
  for (; visited < potential.length && found < numCandidates; visited++) {
    const slot = slotAt(visited);
    if (verdicts[slot] === NOT_TRIED)
      results.set(slot, selectVictims({ evaluation, pod, node: cache.table.nodes[slot]!, budgets }));
    if (verdicts[slot] !== CANDIDATE) continue;
    found++;
    if (best < 0 || results.hasLessHarm(slot, best)) best = slot;
  }
  const slots = (verdict: number): number[] =>
    Array.from({ length: visited }, (_, i) => slotAt(i)).filter((slot) => verdicts[slot] === verdict);
  return {
    best: best < 0 ? undefined : results.victims(best),
    all: () => slots(CANDIDATE).map((slot) => results.victims(slot)),
    answers: () => {
      const counts = new Map<Status, number>();
      for (const slot of slots(NO_CANDIDATE))
        counts.set(results.status(slot), (counts.get(results.status(slot)) ?? 0) + 1);
      return counts;
    },
  };
}

/** Equal pods share results that depend on nothing but the node. */
function dryRunResults(handle: Handle, pod: PodInfo, evaluation: Evaluation, hasBudgets: boolean): DryRunResults {
  const { capacity } = handle.cache.table;
  if (hasBudgets || !dependsOnNodeAlone(handle, pod)) return new DryRunResults(capacity);
  if (evaluation.dryRuns instanceof DryRunResults) return evaluation.dryRuns;
  const results = new DryRunResults(capacity);
  evaluation.dryRuns = results;
  return results;
}

function dependsOnNodeAlone({ cache }: Handle, { shape }: PodInfo): boolean {
  if (shape.hasAffinity || shape.spreadConstraints.length > 0 || shape.volumes.length > 0) return false;
  for (const _ of cache.placements.withRequiredAntiAffinity()) return false;
  return true;
}

function notFound(failure: FilterFailure, answers: ReadonlyMap<Status, number>): string {
  const all = Array.from(answers, ([status, nodes]) => ({ status, nodes }));
  const tried = all.reduce((sum, { nodes }) => sum + nodes, 0);
  if (failure.totalNodes > tried) all.push({ status: NOT_HELPFUL, nodes: failure.totalNodes - tried });
  return `0/${failure.totalNodes} nodes are available: ${reasonsText(all)}.`;
}
