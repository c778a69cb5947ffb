/**
 * One pod, from the queue to a node: which nodes fit (PreFilter, Filter), what to do when none does (PostFilter), which is
 * best (PreScore, Score). The pod is then assumed on that node (Reserve, Permit) and bound in the background.
 *
 * Everything up to Permit is synchronous unless extenders take part, so every decision is made on one state of the
 * cluster.
 */

import { errorMessage, whenDone } from '../base/index.ts';
import { mergeCauses, revisionOf } from '../kernel/index.ts';
import { bindInBackground } from './binding/binding-cycle.ts';
import type { PodInfo } from './cache/pod-info.ts';
import type { Evaluation } from './evaluation/evaluation.ts';
import { diagnosisMessage, NO_NODES_MESSAGE, type Diagnosis } from './evaluation/fit-error.ts';
import { explain } from './explanations/explain-attempt.ts';
import { filterWithExtenders, selectNodeWithExtenders } from './extenders/run-extenders.ts';
import { NO_NODES_REJECTOR } from './framework/profile.ts';
import { errorStatus, Status } from './framework/status.ts';
import { handleFailure } from './handle-failure.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import { runPermits, runReserves, unreserve } from './run-plugins.ts';
import { runPostFilters } from './run-post-filters.ts';
import type { Scheduler } from './scheduler.ts';

export function scheduleOne(scheduler: Scheduler, queued: QueuedPod): void | Promise<void> {
  const { pod } = queued;
  if (skipPodSchedule(scheduler, pod)) {
    scheduler.queue.done(pod.uid);
    return;
  }
  const startedAt = scheduler.ctx.clock.monotonic();
  startAttempt(scheduler, queued, startedAt);
  scheduler.eventPacer.noteActivity(startedAt);
  const interested = scheduler.extenders.filter((extender) => extender.isInterested(pod));
  try {
    if (scheduler.cache.table.nodeCount === 0) {
      reportNoNodes(scheduler, queued, startedAt);
      return;
    }
    const nominated = evaluateNominated(scheduler, queued);
    if (nominated !== undefined) {
      assumeAndBind(scheduler, { queued, startedAt, ...nominated, allNodesEvaluated: false });
      return;
    }
    const evaluation = evaluate(scheduler, queued, startedAt);
    const { failure } = evaluation;
    if (failure !== undefined) throw errorOf(failure);
    if (interested.length > 0) return withExtenders(scheduler, { queued, evaluation, startedAt, interested });
    const node = evaluation.selectNode();
    if (node === undefined) return handleNoFit(scheduler, { queued, evaluation, startedAt });
    assumeAndBind(scheduler, { queued, evaluation, startedAt, nodeName: node.name, allNodesEvaluated: true });
  } catch (error) {
    handleFailure(scheduler, {
      queued,
      status: errorStatus(error),
      startedAt,
      message: errorMessage(error),
      diagnosis: undefined,
    });
  }
}

/** The attempt is caused by the pod that was seen, and by the event that made it worth another try. */
function startAttempt({ ctx: { tracer } }: Scheduler, { pod, wokenBy }: QueuedPod, startedAt: number): void {
  if (!tracer.enabled) return;
  const seen = revisionOf(pod.pod.metadata.resourceVersion);
  const causes = seen === undefined ? wokenBy : mergeCauses([seen], wokenBy);
  const attributes = { 'k8s.controller': 'kube-scheduler', 'k8s.key': pod.key, 'k8s.node.name': undefined };
  pod.attempt = tracer.start('schedule', { causes, startedAt, attributes }).id;
}

interface Attempt {
  readonly queued: QueuedPod;
  readonly evaluation: Evaluation;
  readonly startedAt: number;
}

/** A pod that is being deleted, or is assumed on a node, is not scheduled again. */
function skipPodSchedule({ cache }: Scheduler, pod: PodInfo): boolean {
  return pod.terminating || cache.pod(pod.uid) !== undefined;
}

/** Finds the nodes that fit, sharing the work with equal pods. */
function evaluate(
  { evaluations, metrics, evaluationOfState, ctx }: Scheduler,
  { pod, profile }: QueuedPod,
  startedAt: number,
): Evaluation {
  const { evaluation, shared } = evaluations.of(pod, profile);
  metrics.observeEvaluation(
    profile.schedulerName,
    shared ? 'hint_used' : 'hint_not_used',
    (ctx.clock.monotonic() - startedAt) / 1000,
  );
  evaluationOfState.set(evaluation.state, evaluation);
  return evaluation;
}

/** A pod that fits on its nominated node needs no other node to be evaluated. */
function evaluateNominated(
  { evaluations, cache, evaluationOfState, extenders }: Scheduler,
  { pod, profile }: QueuedPod,
): { evaluation: Evaluation; nodeName: string } | undefined {
  const nodeName = cache.nominator.nodeOf(pod.uid);
  const node = nodeName === undefined ? undefined : cache.table.get(nodeName);
  if (node === undefined || extenders.some((extender) => extender.isInterested(pod))) return undefined;
  const evaluation = evaluations.onNode(pod, profile, node);
  if (evaluation === undefined) return undefined;
  evaluationOfState.set(evaluation.state, evaluation);
  return { evaluation, nodeName: node.name };
}

async function withExtenders(
  scheduler: Scheduler,
  attempt: Attempt & { interested: Scheduler['extenders'] },
): Promise<void> {
  const { queued, evaluation } = attempt;
  try {
    await filterWithExtenders(scheduler, queued.pod, evaluation, attempt.interested);
    if (evaluation.feasibleCount === 0) {
      await handleNoFit(scheduler, attempt);
      return;
    }
    const nodeName = await selectNodeWithExtenders(scheduler, queued.pod, evaluation, attempt.interested);
    assumeAndBind(scheduler, { ...attempt, nodeName, allNodesEvaluated: true });
  } catch (error) {
    handleFailure(scheduler, {
      queued,
      status: errorStatus(error),
      startedAt: attempt.startedAt,
      message: errorMessage(error),
      diagnosis: undefined,
    });
  }
}

/** Runs PostFilter, which may preempt other pods. The pod goes back to the queue in any case. */
function handleNoFit(scheduler: Scheduler, attempt: Attempt): void | Promise<void> {
  const diagnosis = attempt.evaluation.diagnosis();
  return whenDone(runPostFilters(scheduler, attempt.queued, attempt.evaluation), (outcome) =>
    reportUnschedulable(scheduler, attempt, diagnosis, outcome),
  );
}

function reportUnschedulable(
  scheduler: Scheduler,
  { queued, evaluation, startedAt }: Attempt,
  diagnosis: Diagnosis,
  outcome: { message: string; nominatedNodeName: string | undefined },
): void {
  diagnosis.postFilterMessage = outcome.message;
  const text = diagnosisMessage(diagnosis);
  const nominated = outcome.nominatedNodeName;
  explain(scheduler, {
    queued,
    evaluation,
    startedAt,
    outcome: nominated ? 'nominated' : 'unschedulable',
    nodeName: nominated ?? '',
    message: text,
  });
  handleFailure(scheduler, {
    queued,
    status: new Status('Unschedulable', [text]),
    startedAt,
    message: text,
    diagnosis,
    ...nominationAfter(queued, nominated),
  });
}

/**
 * A plugin that says nothing of the nomination leaves it: victims may still be terminating on the nominated node, and
 * lower pods must not take the room of those that are gone. Without PostFilter plugins nobody would clear it.
 */
function nominationAfter(queued: QueuedPod, nominated: string | undefined): { nominatedNodeName?: string } {
  if (nominated !== undefined) return { nominatedNodeName: nominated };
  return queued.profile.plugins.postFilter.length === 0 ? { nominatedNodeName: '' } : {};
}

function reportNoNodes(scheduler: Scheduler, queued: QueuedPod, startedAt: number): void {
  const status = new Status('UnschedulableAndUnresolvable', [NO_NODES_MESSAGE]).from(NO_NODES_REJECTOR);
  const diagnosis: Diagnosis = {
    totalNodes: 0,
    preFilter: status,
    nodeCounts: [],
    postFilterMessage: '',
    rejectors: new Set([NO_NODES_REJECTOR]),
    pendingRejectors: new Set(),
  };
  explain(scheduler, {
    queued,
    evaluation: undefined,
    startedAt,
    outcome: 'unschedulable',
    nodeName: '',
    message: NO_NODES_MESSAGE,
  });
  handleFailure(scheduler, { queued, status, startedAt, message: NO_NODES_MESSAGE, diagnosis, nominatedNodeName: '' });
}

/** From here on the cache counts the pod on the node, before the API server confirms it. */
function assumeAndBind(
  scheduler: Scheduler,
  attempt: Attempt & { nodeName: string; allNodesEvaluated: boolean },
): void {
  const { queued, evaluation, startedAt, nodeName } = attempt;
  const { pod, profile } = queued;
  const { state } = evaluation;
  const { cache, metrics, ctx } = scheduler;
  metrics.algorithmDuration.observe((ctx.clock.monotonic() - startedAt) / 1000);
  explain(scheduler, {
    queued,
    evaluation: attempt.allNodesEvaluated ? evaluation : undefined,
    startedAt,
    outcome: 'scheduled',
    nodeName,
    message: '',
  });
  ctx.tracer.decided(pod.attempt, { 'k8s.node.name': nodeName });
  cache.nominator.remove(pod);
  cache.assume(pod, nodeName);
  const rejected = runReserves(profile, state, pod, nodeName);
  const permits = rejected === undefined ? runPermits(profile, state, pod, nodeName) : undefined;
  const status = rejected ?? permits?.status;
  if (status !== undefined && status.code !== 'Wait') {
    unreserve(profile, state, pod, nodeName);
    cache.forget(pod);
    handleFailure(scheduler, {
      queued,
      status,
      startedAt,
      message: status.message,
      diagnosis: rejectionBy(scheduler, status),
    });
    return;
  }
  bindInBackground(scheduler, {
    queued,
    state,
    nodeName,
    startedAt,
    permitTimeouts: permits?.timeouts ?? new Map<string, number>(),
  });
}

function rejectionBy({ cache }: Scheduler, status: Status): Diagnosis | undefined {
  if (!status.isRejected) return undefined;
  const by = new Set([status.plugin]);
  const isPending = status.code === 'Pending';
  return {
    totalNodes: cache.table.nodeCount,
    preFilter: undefined,
    nodeCounts: [{ status, nodes: 1 }],
    postFilterMessage: '',
    rejectors: isPending ? new Set() : by,
    pendingRejectors: isPending ? by : new Set(),
  };
}

const errorOf = (status: Status): Error => (status.error instanceof Error ? status.error : new Error(status.message));
