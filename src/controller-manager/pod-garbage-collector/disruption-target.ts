/** The condition DisruptionTarget of pods that a controller deletes. */
import type { Pod, PodCondition } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import type { ControllerContext } from '../controller.ts';

export interface Disruption {
  readonly reason: string;
  readonly message: string;
  /** Also sets the phase to Failed, because no kubelet will. */
  readonly failed?: true;
}

/** Sets the condition DisruptionTarget before a pod is deleted; writes nothing when it is set already. */
export async function markDisrupted(
  { client, clock, signal }: Pick<ControllerContext, 'client' | 'clock' | 'signal'>,
  pod: Pod,
  { reason, message, failed }: Disruption,
): Promise<Pod> {
  const old = pod.status?.conditions ?? [];
  const before = old.find(({ type }) => type === 'DisruptionTarget');
  const isSet = before?.status === 'True' && before.reason === reason && before.message === message;
  const ended = isPodTerminal(pod);
  if (isSet && (!failed || ended)) return pod;
  const lastTransitionTime = before?.status === 'True' ? before.lastTransitionTime : formatTime(clock.now());
  const { generation } = pod.metadata;
  const condition: PodCondition = {
    ...{ type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime },
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const status = { conditions: [condition], ...(failed && !ended ? { phase: 'Failed' } : {}) };
  return client
    .resource('v1/pods')
    .patch(
      { namespace: pod.metadata.namespace, name: pod.metadata.name ?? '' },
      { metadata: { uid: pod.metadata.uid }, status },
      { type: 'strategic', subresource: 'status', signal },
    );
}
