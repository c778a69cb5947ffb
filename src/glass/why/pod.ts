/** Why a pod is Pending, not Ready, restarting, evicted, or still there after it was deleted. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseTime } from '../../base/index.ts';
import { isPodReady, podCondition } from '../../component-helpers/index.ts';
import type { Cause, Explanation, Subject } from '../answers.ts';
import { healthy, unhealthy } from './explanation.ts';
import { containerCauses } from './pod-containers.ts';
import { placementCause, schedulingCauses } from './pod-scheduling.ts';
import { volumeCauses } from './pod-volumes.ts';
import type { Reader } from './reader.ts';
import { finalizerCauses } from './terminating.ts';

export async function explainPod(reader: Reader, pod: Pod): Promise<Explanation> {
  const { metadata, spec, status } = pod;
  const subject: Subject = { kind: 'Pod', namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  if (metadata.deletionTimestamp) return unhealthy(subject, 'Terminating', await terminatingCauses(reader, pod));
  if (status?.phase === 'Succeeded') return healthy(subject, 'Succeeded: all containers ended with exit code 0');
  if (status?.phase === 'Failed')
    return unhealthy(subject, status.reason ?? 'Failed', [
      ...failureCauses(pod),
      // How the containers of an evicted pod ended follows from the eviction.
      ...(status.reason === 'Evicted' ? [] : await containerCauses(reader, pod)),
    ]);
  if (!spec?.nodeName) return unhealthy(subject, 'Pending', await schedulingCauses(reader, pod));
  if (isPodReady(pod)) return healthy(subject, `Ready on node ${spec.nodeName}`, await placementCause(reader, pod));
  const causes = [
    ...(await nodeCauses(reader, pod)),
    ...(await volumeCauses(reader, pod)),
    ...(await containerCauses(reader, pod)),
    ...readinessGateCauses(pod),
  ];
  return unhealthy(
    subject,
    `${status?.phase ?? 'Pending'}, not Ready`,
    causes.length > 0 ? causes : [await warned(reader, pod)],
  );
}

/** The deletion waits for the kubelet, for finalizers, or for both. */
async function terminatingCauses(reader: Reader, pod: Pod): Promise<Cause[]> {
  const { metadata, spec, status } = pod;
  const causes = finalizerCauses(pod);
  const deadline = parseTime(metadata.deletionTimestamp!);
  const waiting = Math.ceil((deadline - reader.now) / 1000);
  if (waiting > 0)
    causes.push({
      reason: 'GracePeriod',
      message: `its containers have ${waiting} s more of their grace period of ${metadata.deletionGracePeriodSeconds ?? 0} s`,
      remedy: `wait, or shorten it: kubectl delete pod ${metadata.name} -n ${metadata.namespace} --grace-period=1`,
    });
  else if (spec?.nodeName && status?.containerStatuses?.some(({ state }) => state?.running))
    causes.push({
      reason: 'KubeletHasNotStoppedIt',
      message: `the grace period ended ${-waiting} s ago, and the kubelet of node ${spec.nodeName} has not reported that its containers ended`,
      remedy: `see what the kubelet of node ${spec.nodeName} logs about it`,
    });
  return [...causes, ...(await nodeCauses(reader, pod))];
}

function failureCauses({ spec, status }: Pod): Cause[] {
  const { reason, message } = status ?? {};
  const target = podCondition({ status }, 'DisruptionTarget');
  return [
    ...(target?.status === 'True'
      ? [{ reason: target.reason ?? 'DisruptionTarget', message: target.message ?? 'the pod was chosen to be ended' }]
      : []),
    ...(reason
      ? [{ reason, message: message?.trim() ?? '', ...(reason === 'Evicted' ? evictedBy(spec?.nodeName) : {}) }]
      : []),
  ];
}

const evictedBy = (node: string | undefined): Pick<Cause, 'evidence' | 'remedy'> => ({
  evidence: [`the kubelet of node ${node} evicted it`],
  remedy:
    'let it use less, or raise the limit that the message names; its controller, if it has one, replaces the pod, and nobody restarts this one',
});

/** A node that is deleted or does not report: the pod's containers do not run. */
async function nodeCauses(reader: Reader, { spec }: Pod): Promise<Cause[]> {
  const name = spec?.nodeName;
  if (!name) return [];
  const { object: node, known } = await reader.get('v1/nodes', { name });
  if (!known) return [];
  if (!node)
    return [
      {
        reason: 'NodeGone',
        message: `node ${name} does not exist any more`,
        remedy: 'the pod is deleted soon; its controller replaces it',
      },
    ];
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return [];
  return [
    {
      reason: 'NodeNotReady',
      message: `node ${name} is not Ready: ${ready?.message ?? 'its kubelet has not reported'}`,
      ...(ready?.lastHeartbeatTime ? { evidence: [`the last heartbeat was at ${ready.lastHeartbeatTime}`] } : {}),
      remedy: `see what happened to node ${name} and its kubelet`,
    },
  ];
}

function readinessGateCauses(pod: Pod): Cause[] {
  return (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = podCondition(pod, conditionType);
    if (condition?.status === 'True') return [];
    const state = condition
      ? `is ${condition.status}${condition.message ? `: ${condition.message}` : ''}`
      : 'was never set';
    return [{ reason: 'ReadinessGatesNotReady', message: `the readiness gate ${conditionType} ${state}` }];
  });
}

async function warned(reader: Reader, pod: Pod): Promise<Cause> {
  const warning = await reader.warning(pod);
  return {
    reason: 'ContainersNotReady',
    message: podCondition(pod, 'Ready')?.message ?? 'the kubelet has not reported on it yet',
    ...(warning ? { evidence: [warning] } : {}),
  };
}
