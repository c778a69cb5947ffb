/** Why a pod has no node, or why it has this one. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { podCondition } from '../../component-helpers/index.ts';
import type { Cause } from '../answers.ts';
import { volumeCauses } from './pod-volumes.ts';
import type { Reader, SchedulingDecision } from './reader.ts';

const DEFAULT_SCHEDULER = 'default-scheduler';

export async function schedulingCauses(reader: Reader, pod: Pod): Promise<Cause[]> {
  const gates = pod.spec?.schedulingGates ?? [];
  if (gates.length > 0)
    return [
      {
        reason: 'SchedulingGated',
        message: `it has the scheduling gates ${gates.map(({ name }) => name).join(', ')}`,
        remedy: 'the controllers that set the gates remove them when the pod may be scheduled',
      },
    ];
  const condition = podCondition(pod, 'PodScheduled');
  const decision = await reader.schedulingDecision(nameOf(pod));
  if (!condition && !decision) return [unseen(pod)];
  if (decision && decision.nodes.length === 0 && decision.totalNodes > 0)
    reader.noteUnknown('which nodes rejected it, and what would help: you may not list nodes');
  const message = decision?.message || condition?.message || 'no node fits';
  return [
    {
      reason: condition?.reason ?? 'Unschedulable',
      message,
      ...(decision ? { evidence: rejections(decision, reader.maxNodes) } : {}),
      ...(decision && decision.whatWouldHelp.length > 0 ? { remedy: decision.whatWouldHelp.join('; or ') } : {}),
    },
    ...(await volumeCauses(reader, pod)),
  ];
}

/** Why a pod is where it is: the scores of its node and of the next best ones. */
export async function placementCause(reader: Reader, pod: Pod): Promise<Cause[]> {
  const decision = await reader.schedulingDecision(nameOf(pod));
  if (!decision || decision.outcome !== 'scheduled') return [];
  return [
    {
      reason: 'Scheduled',
      message: `${decision.feasibleNodes} of ${decision.totalNodes} nodes fit, and ${decision.node} was ${isTied(decision) ? 'chosen among those with the highest score' : 'the best'}`,
      evidence: [...scores(decision), ...rejections(decision, reader.maxNodes)].slice(0, reader.maxNodes),
    },
  ];
}

const isTied = ({ nodes, node }: SchedulingDecision): boolean => {
  const best = nodes.find((one) => one.node === node)?.total;
  return best !== undefined && nodes.some((one) => one.node !== node && one.total === best);
};

function scores({ nodes }: SchedulingDecision): string[] {
  return nodes
    .filter(({ total }) => total !== undefined)
    .sort((a, b) => b.total! - a.total!)
    .map(({ node, total, scores = {} }) => {
      const parts = Object.entries(scores).map(([plugin, score]) => `${plugin} ${Math.round(score)}`);
      return `${node} scored ${Math.round(total!)}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
    });
}

function rejections({ nodes }: SchedulingDecision, limit: number): string[] {
  const rejected = nodes.filter(({ fits }) => !fits);
  const lines = rejected.slice(0, limit).map(({ node, filters }) => {
    const failed = filters.find(({ result }) => result === 'fail');
    return `${node}: ${failed ? `${failed.plugin}: ${failed.reasons?.join('; ') ?? 'rejected it'}` : 'rejected'}`;
  });
  return rejected.length > limit ? [...lines, `and ${rejected.length - limit} more nodes`] : lines;
}

function unseen({ spec }: Pod): Cause {
  const name = spec?.schedulerName ?? DEFAULT_SCHEDULER;
  return {
    reason: 'NoScheduler',
    message: `no scheduler has tried it; it asks for ${name}`,
    remedy:
      name === DEFAULT_SCHEDULER
        ? 'see that kube-scheduler runs and holds its lease'
        : `see that a scheduler with the name ${name} runs, or remove spec.schedulerName`,
  };
}

const nameOf = ({ metadata: { namespace = '', name = '' } }: Pod): { namespace: string; name: string } => ({
  namespace,
  name,
});
