/** The status of ReplicaSets and ReplicationControllers. */
import type { ReplicaSetStatus } from '../../api/generated/apps-v1.ts';
import type { Pod, PodTemplateSpec, ReplicationControllerStatus } from '../../api/generated/core-v1.ts';
import { errorMessage, formatTime, ownValue } from '../../base/index.ts';
import { isPodAvailable, isPodReady } from '../../component-helpers/index.ts';
import { findCondition, withoutCondition, withoutZeros } from '../status.ts';

const REPLICA_FAILURE = 'ReplicaFailure';

interface ReplicaState {
  readonly generation: number;
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly template: PodTemplateSpec | undefined;
  readonly previous: ReplicaSetStatus | ReplicationControllerStatus | undefined;
  readonly active: readonly Pod[];
  /** Absent for kinds that do not count them. */
  readonly terminating?: readonly Pod[];
  /** Why pods could not be created or deleted. */
  readonly failure?: unknown;
  readonly now: number;
}

export function replicaStatus(state: ReplicaState): ReplicaSetStatus {
  const { active, terminating, minReadySeconds, now } = state;
  const templateLabels = Object.entries(state.template?.metadata?.labels ?? {});
  const conditions = failureCondition(state);
  return {
    replicas: active.length,
    ...withoutZeros({
      fullyLabeledReplicas: active.filter((pod) =>
        templateLabels.every(([key, value]) => ownValue(pod.metadata.labels, key) === value),
      ).length,
      readyReplicas: active.filter(isPodReady).length,
      availableReplicas: active.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length,
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating.length }),
    ...withoutZeros({ observedGeneration: state.generation, conditions }),
  };
}

function failureCondition({
  previous,
  failure,
  active,
  replicas,
  now,
}: ReplicaState): NonNullable<ReplicaSetStatus['conditions']> {
  const others = withoutCondition(previous?.conditions, REPLICA_FAILURE);
  if (failure === undefined) return others;
  const existing = findCondition(previous?.conditions, REPLICA_FAILURE);
  if (existing) return [...(previous?.conditions ?? [])];
  const reason = active.length < replicas ? 'FailedCreate' : 'FailedDelete';
  const message = errorMessage(failure);
  return [...others, { type: REPLICA_FAILURE, status: 'True', reason, message, lastTransitionTime: formatTime(now) }];
}
