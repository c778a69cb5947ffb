/** The status of PodGroups. */
import { formatTime } from '../../../base/index.ts';
import { isNotFound, type ApiObject } from '../../../client/index.ts';
import type { Handle } from '../../framework/handle.ts';
import { GROUP_KINDS, type GroupReference } from './pod-group.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

interface GroupObject extends ApiObject {
  status?: { conditions?: Condition[]; phase?: string; scheduled?: number };
}

const CONDITION = 'PodGroupScheduled';

/**
 * Writes the status of PodGroups: the condition PodGroupScheduled of Kubernetes' PodGroups, the phase of those of the
 * coscheduling plugin. A group that was scheduled once stays scheduled in its status.
 */
export class GroupStatus {
  readonly #handle: Handle;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  scheduled(group: GroupReference, object: ApiObject, placed: number): void {
    if (group.source === 'workload')
      this.#setCondition(group, object, { status: 'True', reason: 'Scheduled', message: '' });
    else
      this.#patch(group, object, { phase: 'Scheduled', scheduled: placed }, (status) => status?.phase === 'Scheduled');
  }

  unschedulable(group: GroupReference, object: ApiObject, message: string): void {
    if (group.source === 'workload')
      this.#setCondition(group, object, { status: 'False', reason: 'Unschedulable', message });
    else
      this.#patch(
        group,
        object,
        { phase: 'Scheduling' },
        (status) => status?.phase !== undefined && status.phase !== '' && status.phase !== 'Pending',
      );
  }

  #setCondition(
    group: GroupReference,
    object: ApiObject,
    wanted: Pick<Condition, 'status' | 'reason' | 'message'>,
  ): void {
    const conditions = (object as GroupObject).status?.conditions ?? [];
    const before = conditions.find((c) => c.type === CONDITION);
    if (
      before?.status === 'True' ||
      (before?.status === wanted.status && before.reason === wanted.reason && before.message === wanted.message)
    )
      return;
    const { generation } = object.metadata;
    const condition: Condition = {
      type: CONDITION,
      ...wanted,
      lastTransitionTime:
        before?.status === wanted.status ? before.lastTransitionTime : formatTime(this.#handle.clock.now()),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    this.#patch(
      group,
      object,
      { conditions: [...conditions.filter((c) => c.type !== CONDITION), condition] },
      () => false,
    );
  }

  #patch(
    group: GroupReference,
    object: ApiObject,
    status: GroupObject['status'],
    isUpToDate: (status: GroupObject['status']) => boolean,
  ): void {
    if (isUpToDate((object as GroupObject).status)) return;
    const { client, logger } = this.#handle;
    const { namespace, name } = group;
    this.#handle.background(async (signal) => {
      await client
        .resource(GROUP_KINDS[group.source].resource)
        .patch(
          { namespace, name },
          { metadata: { uid: object.metadata.uid }, status },
          { type: 'merge', subresource: 'status', signal },
        )
        .catch((error: unknown) => {
          if (!signal.aborted && !isNotFound(error))
            logger
              .v(2)
              .info('Failed to update the status of a pod group', { podGroup: `${namespace}/${name}`, err: error });
        });
    });
  }
}
