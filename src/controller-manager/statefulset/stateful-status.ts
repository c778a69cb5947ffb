/** The status of a StatefulSet. */
import type { StatefulSet, StatefulSetStatus } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { isPodAvailable, isPodReady } from '../../component-helpers/index.ts';
import { withoutZeros } from '../status.ts';
import { revisionNameOf } from './identity.ts';

export interface SetRevisions {
  /** Names of revisions. */
  readonly current: string;
  readonly update: string;
  readonly collisionCount: number;
}

export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && isPodReady(pod);
export const isHealthy = (pod: Pod): boolean => isRunningAndReady(pod) && pod.metadata.deletionTimestamp === undefined;

export function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: SetRevisions,
  now: number,
): StatefulSetStatus {
  const staying = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const ready = pods.filter(isRunningAndReady);
  const counts = {
    replicas: pods.length,
    ready: ready.length,
    available: ready.filter((pod) => isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now)).length,
    current: staying.filter((pod) => revisionNameOf(pod) === revisions.current).length,
    updated: staying.filter((pod) => revisionNameOf(pod) === revisions.update).length,
  };
  const replicas = set.spec?.replicas ?? 1;
  // The rolling update is complete when all pods are updated and ready; the update revision becomes the current one.
  const isDone =
    set.spec?.updateStrategy?.type === 'RollingUpdate' &&
    counts.updated === replicas &&
    counts.ready === replicas &&
    counts.replicas === replicas;
  return {
    ...withoutZeros({ observedGeneration: set.metadata.generation }),
    replicas: counts.replicas,
    ...withoutZeros({
      readyReplicas: counts.ready,
      currentReplicas: isDone ? counts.updated : counts.current,
      updatedReplicas: counts.updated,
      currentRevision: isDone ? revisions.update : revisions.current,
      updateRevision: revisions.update,
    }),
    collisionCount: revisions.collisionCount,
    ...(set.status?.conditions ? { conditions: set.status.conditions } : {}),
    availableReplicas: counts.available,
  };
}
