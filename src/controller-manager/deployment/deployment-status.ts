/** The status of a Deployment. */
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { withoutCondition, withoutZeros } from '../status.ts';
import {
  condition,
  hasProgressDeadline,
  hasProgressed,
  hasTimedOut,
  isComplete,
  NEW_SET_AVAILABLE,
  progressing,
  replicaFailure,
  TIMED_OUT,
  withCondition,
} from './conditions.ts';
import { maxUnavailable } from './rolling-limits.ts';

interface RolloutState {
  readonly deployment: Deployment;
  readonly newSet: ReplicaSet | undefined;
  /** The new set included. */
  readonly sets: readonly ReplicaSet[];
  readonly now: number;
}

const sum = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number =>
  sets.reduce((total, set) => total + (count(set) ?? 0), 0);

/** The counts, and whether enough replicas are available. */
export function deploymentStatus({ deployment, newSet, sets, now }: RolloutState): DeploymentStatus {
  const { spec, status, metadata } = deployment;
  const available = sum(sets, (set) => set.status?.availableReplicas);
  const wanted = sum(sets, (set) => set.spec?.replicas);
  const enough = available >= (spec?.replicas ?? 1) - maxUnavailable(deployment);
  const availability = enough
    ? condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.', now)
    : condition(
        'Available',
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
        now,
      );
  const countsTerminating = sets.every((set) => set.status?.terminatingReplicas !== undefined);
  return {
    ...withoutZeros({
      observedGeneration: metadata.generation,
      replicas: sum(sets, (set) => set.status?.replicas),
      updatedReplicas: newSet?.status?.replicas,
      readyReplicas: sum(sets, (set) => set.status?.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, wanted - available),
    }),
    ...(countsTerminating ? { terminatingReplicas: sum(sets, (set) => set.status?.terminatingReplicas) } : {}),
    conditions: withCondition(status?.conditions, availability),
    ...(status?.collisionCount === undefined ? {} : { collisionCount: status.collisionCount }),
  };
}

/** The status with the Progressing condition. */
export function rolloutStatus(state: RolloutState): DeploymentStatus {
  const { deployment, newSet, sets } = state;
  const status = deploymentStatus(state);
  let conditions: DeploymentCondition[] = status.conditions ?? [];
  if (!hasProgressDeadline(deployment)) conditions = withoutCondition(conditions, 'Progressing');
  else conditions = progressConditions(state, { ...status, conditions });
  const failure = replicaFailure(newSet, sets);
  conditions = failure ? withCondition(conditions, failure) : withoutCondition(conditions, 'ReplicaFailure');
  return { ...status, conditions };
}

function progressConditions(
  { deployment, newSet, now }: RolloutState,
  status: DeploymentStatus,
): DeploymentCondition[] {
  const conditions = status.conditions ?? [];
  const current = progressing(deployment.status?.conditions);
  const isDone = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === NEW_SET_AVAILABLE;
  if (isDone) return [...conditions];
  const subject = newSet ? `ReplicaSet "${newSet.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status))
    return withCondition(
      conditions,
      condition('Progressing', 'True', NEW_SET_AVAILABLE, `${subject} has successfully progressed.`, now),
    );
  if (hasProgressed(deployment.status, status)) {
    const moved = condition('Progressing', 'True', 'ReplicaSetUpdated', `${subject} is progressing.`, now);
    // Replaced each time, because the progress deadline starts from its lastUpdateTime.
    const lastTransitionTime = current?.status === 'True' ? current.lastTransitionTime : moved.lastTransitionTime;
    return [...withoutCondition(conditions, 'Progressing'), { ...moved, lastTransitionTime }];
  }
  if (hasTimedOut(deployment, conditions, now))
    return withCondition(
      conditions,
      condition('Progressing', 'False', TIMED_OUT, `${subject} has timed out progressing.`, now),
    );
  return [...conditions];
}
