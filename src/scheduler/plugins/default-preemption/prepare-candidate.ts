/** Preemption on the chosen node: deletes the victims, and clears lower nominations to the node. */

import { formatTime } from '../../../base/index.ts';
import { isConflict, isNotFound } from '../../../client/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { conditionPatch } from '../../condition-patch.ts';
import type { Handle } from '../../framework/handle.ts';

export async function deleteVictim(
  handle: Handle,
  options: { victim: PodInfo; preemptor: PodInfo; nodeName: string; signal: AbortSignal },
): Promise<void> {
  const { victim, preemptor, nodeName, signal } = options;
  const waiting = handle.waitingPods.get(victim.uid);
  if (waiting !== undefined) waiting.reject('DefaultPreemption', 'preempted');
  else {
    const { namespace, name, uid } = victim;
    const pods = handle.client.resource('v1/pods');
    try {
      await pods.patch({ namespace, name }, disruptionPatch(handle, victim), {
        type: 'strategic',
        subresource: 'status',
        signal,
        cause: preemptor.attempt,
      });
      await pods.delete({ namespace, name }, { preconditions: { uid }, signal, cause: preemptor.attempt });
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
  }
  handle.recorder.event(victim.pod, 'Normal', 'Preempted', `Preempted by pod ${preemptor.uid} on node ${nodeName}`, {
    action: 'Preempting',
    related: preemptor.pod,
    cause: preemptor.attempt,
  });
}

function disruptionPatch(handle: Handle, victim: PodInfo): unknown {
  const { generation } = victim.pod.metadata;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: `${handle.schedulerName}: preempting to accommodate a higher priority pod`,
    lastTransitionTime: formatTime(handle.clock.now()),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return { metadata: { uid: victim.uid }, status: conditionPatch(victim.pod, condition) };
}

/** Pods of lower priority that are nominated to the same node have to be scheduled elsewhere. */
export function clearLowerNominations(handle: Handle, preemptor: PodInfo, nodeName: string): void {
  const { nominator } = handle.cache;
  for (const other of [...nominator.on(nodeName)]) {
    if (other.uid === preemptor.uid || other.priority >= preemptor.priority) continue;
    nominator.remove(other);
    const { namespace, name } = other;
    handle.background(async (signal) => {
      await handle.client
        .resource('v1/pods')
        .patch(
          { namespace, name },
          { status: { nominatedNodeName: null } },
          { type: 'strategic', subresource: 'status', signal, cause: preemptor.attempt },
        )
        .catch((error: unknown) => {
          if (!signal.aborted && !isNotFound(error))
            handle.logger.error(error, 'Cannot clear "NominatedNodeName" field', { pod: other.key });
        });
    });
  }
}
