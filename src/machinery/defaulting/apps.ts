/** Defaults of the group apps. */
import type {
  DaemonSetUpdateStrategy,
  DeploymentStrategy,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from '../../api/generated/apps-v1.ts';

export function defaultDeploymentStrategy({
  type = 'RollingUpdate',
  rollingUpdate,
}: DeploymentStrategy): DeploymentStrategy {
  if (type !== 'RollingUpdate') return {};
  return { type, rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%', ...rollingUpdate } };
}

export function defaultDaemonSetUpdateStrategy({
  type = 'RollingUpdate',
  rollingUpdate,
}: DaemonSetUpdateStrategy): DaemonSetUpdateStrategy {
  // The internal form has no unset numbers.
  if (type !== 'RollingUpdate')
    return rollingUpdate ? { rollingUpdate: { maxUnavailable: 0, maxSurge: 0, ...rollingUpdate } } : {};
  return { type, rollingUpdate: { maxUnavailable: 1, maxSurge: 0, ...rollingUpdate } };
}

/** Unlike for a Deployment, a given strategy without parameters gets none. */
export function defaultStatefulSetUpdateStrategy({
  type,
  rollingUpdate,
}: StatefulSetUpdateStrategy): StatefulSetUpdateStrategy {
  if (type === undefined) return { type: 'RollingUpdate', rollingUpdate: { partition: 0, ...rollingUpdate } };
  return type === 'RollingUpdate' && rollingUpdate ? { rollingUpdate: { partition: 0, ...rollingUpdate } } : {};
}

export function defaultStatefulSetSpec(spec: StatefulSetSpec): Partial<StatefulSetSpec> {
  const { persistentVolumeClaimRetentionPolicy = {}, volumeClaimTemplates } = spec;
  if (!volumeClaimTemplates) return { persistentVolumeClaimRetentionPolicy };
  return {
    persistentVolumeClaimRetentionPolicy,
    volumeClaimTemplates: volumeClaimTemplates.map((claim) => ({
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      ...claim,
    })),
  };
}
