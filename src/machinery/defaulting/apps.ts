import type { DaemonSetUpdateStrategy, DeploymentStrategy, StatefulSetSpec, StatefulSetUpdateStrategy } from '../../api/generated/apps-v1.ts';

export function defaultDeploymentStrategy(draft: DeploymentStrategy): void {
  draft.type ??= 'RollingUpdate';
  if (draft.type === 'RollingUpdate') draft.rollingUpdate = { maxUnavailable: '25%', maxSurge: '25%', ...draft.rollingUpdate };
}

export function defaultDaemonSetUpdateStrategy(draft: DaemonSetUpdateStrategy): void {
  draft.type ??= 'RollingUpdate';
  if (draft.type === 'RollingUpdate') draft.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...draft.rollingUpdate };
}

/** Unlike a Deployment's, a strategy that is named without its parameters stays without them. */
export function defaultStatefulSetUpdateStrategy(draft: StatefulSetUpdateStrategy): void {
  if (draft.type === undefined) {
    draft.type = 'RollingUpdate';
    draft.rollingUpdate ??= {};
  }
  if (draft.type === 'RollingUpdate' && draft.rollingUpdate) draft.rollingUpdate = { partition: 0, ...draft.rollingUpdate };
}

export function defaultStatefulSetSpec(draft: StatefulSetSpec): void {
  draft.persistentVolumeClaimRetentionPolicy ??= {};
  draft.volumeClaimTemplates = draft.volumeClaimTemplates?.map((claim) => ({ kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...claim }));
}
