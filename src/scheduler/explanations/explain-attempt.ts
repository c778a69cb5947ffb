/** Records an explanation of one scheduling attempt. */
import type { NodeTable } from '../cache/node-table.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { Scheduler } from '../scheduler.ts';
import type { Outcome } from './explanations.ts';

/** Scores by plugin are recorded for this many of the best nodes. */
const MAX_SCORED_NODES = 5;

interface ExplainedAttempt {
  readonly queued: QueuedPod;
  readonly evaluation: Evaluation | undefined;
  readonly startedAt: number;
  readonly outcome: Outcome;
  readonly nodeName: string;
  readonly message: string;
}

export function explain({ explanations, cache, ctx }: Scheduler, attempt: ExplainedAttempt): void {
  const { queued, evaluation, outcome, nodeName, message } = attempt;
  const { pod } = queued;
  const scores = outcome === 'scheduled' && evaluation !== undefined;
  explanations.record({
    uid: pod.uid,
    namespace: pod.namespace,
    name: pod.name,
    schedulerName: pod.schedulerName,
    attempt: queued.attempts,
    at: ctx.clock.now(),
    durationMs: ctx.clock.monotonic() - attempt.startedAt,
    outcome,
    nodeName,
    message,
    nodeNames: namesOf(cache.table),
    codes: evaluation?.codes() ?? new Uint16Array(0),
    statuses: evaluation?.statuses ?? [],
    filters: evaluation?.filterNames ?? [],
    scored: scores ? evaluation.scoredNodes(MAX_SCORED_NODES, cache.table.get(nodeName)) : [],
    preFilter: evaluation?.preFilterFailure,
  });
}

const names = new WeakMap<NodeTable, { version: number; names: (string | undefined)[] }>();

/** Node names by slot, shared by all attempts until a node is added or deleted. */
function namesOf(table: NodeTable): readonly (string | undefined)[] {
  const known = names.get(table);
  if (known?.version === table.version) return known.names;
  const fresh = table.nodes.map((node) => (node?.exists ? node.name : undefined));
  names.set(table, { version: table.version, names: fresh });
  return fresh;
}
