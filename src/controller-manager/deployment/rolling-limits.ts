/** maxSurge and maxUnavailable of a rolling update, as absolute numbers. */
import type { Deployment } from '../../api/generated/apps-v1.ts';
import { getScaledValue } from '../../base/index.ts';

export const isRolling = (deployment: Deployment): boolean => deployment.spec?.strategy?.type === 'RollingUpdate';

function limits(deployment: Deployment): { surge: number; unavailable: number } {
  const replicas = deployment.spec?.replicas ?? 1;
  const { maxSurge: wantedSurge = 0, maxUnavailable: wantedUnavailable = 0 } =
    deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = getScaledValue(wantedSurge, replicas, 'up');
  const unavailable = getScaledValue(wantedUnavailable, replicas, 'down');
  // When both round to 0, the rollout could not progress.
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

export const maxSurge = (deployment: Deployment): number => (isRolling(deployment) ? limits(deployment).surge : 0);

export function maxUnavailable(deployment: Deployment): number {
  const replicas = deployment.spec?.replicas ?? 1;
  if (!isRolling(deployment) || replicas === 0) return 0;
  return Math.min(limits(deployment).unavailable, replicas);
}
