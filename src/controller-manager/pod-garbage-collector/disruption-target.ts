import type { Pod, PodCondition } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import type { ControllerContext } from '../controller.ts';

export interface Disruption {
  readonly reason: string;
  readonly message: string;
  /** The pod has not ended by itself: nobody else will say that it has failed. */
  readonly failed?: true;
}

/** Says in the pod's status why it is deleted, before it is; writes nothing when that is said already. */
export async function markDisrupted(
  { client, clock, signal }: Pick<ControllerContext, 'client' | 'clock' | 'signal'>,
  pod: Pod,
  { reason, message, failed }: Disruption,
): Promise<Pod> {
  const old = pod.status?.conditions ?? [];
  const before = old.find(({ type }) => type === 'DisruptionTarget');
  const said = before?.status === 'True' && before.reason === reason && before.message === message;
  const ended = isPodTerminal(pod);
  if (said && (!failed || ended)) return pod;
  const lastTransitionTime = before?.status === 'True' ? before.lastTransitionTime : formatTime(clock.now());
  const condition: PodCondition = { type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime };
  const status = { conditions: [condition], ...(failed && !ended ? { phase: 'Failed' } : {}) };
  return client
    .resource('v1/pods')
    .patch(
      { namespace: pod.metadata.namespace, name: pod.metadata.name ?? '' },
      { metadata: { uid: pod.metadata.uid }, status },
      { type: 'strategic', subresource: 'status', signal },
    );
}
