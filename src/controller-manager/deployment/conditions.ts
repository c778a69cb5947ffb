/** The conditions of a Deployment: Available, Progressing and ReplicaFailure. */
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { formatTime, parseTime } from '../../base/index.ts';
import { findCondition, withoutCondition } from '../status.ts';

type Conditions = readonly DeploymentCondition[] | undefined;

const NO_DEADLINE = 2 ** 31 - 1;

export const NEW_SET_AVAILABLE = 'NewReplicaSetAvailable';
export const TIMED_OUT = 'ProgressDeadlineExceeded';

export function condition(
  type: string,
  status: string,
  reason: string,
  message: string,
  now: number,
): DeploymentCondition {
  const time = formatTime(now);
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

/** An equal condition changes nothing; one with the same status keeps its lastTransitionTime. */
export function withCondition(conditions: Conditions, next: DeploymentCondition): DeploymentCondition[] {
  const current = findCondition(conditions, next.type);
  if (current?.status === next.status && current.reason === next.reason) return [...(conditions ?? [])];
  const lastTransitionTime = current?.status === next.status ? current.lastTransitionTime : next.lastTransitionTime;
  return [...withoutCondition(conditions, next.type), { ...next, lastTransitionTime }];
}

export const progressing = (conditions: Conditions): DeploymentCondition | undefined =>
  findCondition(conditions, 'Progressing');

export function hasProgressDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE;
}

/** All replicas are updated and available, and no old one is left. */
export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus): boolean {
  const replicas = spec?.replicas ?? 1;
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

export function hasProgressed(before: DeploymentStatus = {}, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus): number => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

/** When progressDeadlineSeconds is exceeded, if there is no progress until then. */
export function deadlineOf(deployment: Deployment, conditions: Conditions): number | undefined {
  const current = progressing(conditions);
  if (!hasProgressDeadline(deployment) || !current || current.reason === NEW_SET_AVAILABLE) return undefined;
  return (
    parseTime(current.lastUpdateTime ?? '1970-01-01T00:00:00Z') + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000
  );
}

export function hasTimedOut(deployment: Deployment, conditions: Conditions, now: number): boolean {
  if (progressing(conditions)?.reason === TIMED_OUT) return true;
  const deadline = deadlineOf(deployment, conditions);
  return deadline !== undefined && now > deadline;
}

/** The ReplicaFailure of a ReplicaSet as that of the Deployment; the new set's comes first. */
export function replicaFailure(
  newSet: ReplicaSet | undefined,
  sets: readonly ReplicaSet[],
): DeploymentCondition | undefined {
  const failures = [newSet, ...sets].map((set) => findCondition(set?.status?.conditions, 'ReplicaFailure'));
  const failure = failures.find((found) => found !== undefined);
  if (!failure) return undefined;
  const { type, status, reason, message, lastTransitionTime } = failure;
  return { type, status, reason, message, lastTransitionTime, lastUpdateTime: lastTransitionTime };
}
