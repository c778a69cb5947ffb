/** Finds the new and the old ReplicaSets of a Deployment, and builds a new one. */
import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { controllerReference } from '../../client/index.ts';
import { templateHash } from '../pods/index.ts';
import { maxSurge, isRolling } from './rolling-limits.ts';

const HASH_LABEL = 'pod-template-hash';
export const DEPLOYMENT_KIND = { apiVersion: 'apps/v1', kind: 'Deployment' };

export const replicasOf = (set: ReplicaSet): number => set.spec?.replicas ?? 0;
export const totalReplicas = (sets: readonly ReplicaSet[]): number =>
  sets.reduce((total, set) => total + replicasOf(set), 0);
export const isActiveSet = (set: ReplicaSet): boolean => replicasOf(set) > 0;

/** Oldest first; by name where the second is the same. */
export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (left !== right) return left < right ? -1 : 1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { [HASH_LABEL]: _, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

/** Whether the templates are equal but for the pod-template-hash. */
export const sameTemplate = (a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean =>
  deepEqual(withoutHash(a), withoutHash(b));

/** The oldest ReplicaSet with the Deployment's template, so that the choice is stable when there are several. */
export const findNewSet = (deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined =>
  [...sets].sort(byCreation).find((set) => sameTemplate(set.spec?.template, deployment.spec?.template));

/** The size of the new ReplicaSet within replicas and maxSurge. */
export function newSetSize(deployment: Deployment, sets: readonly ReplicaSet[], current: number): number {
  const replicas = deployment.spec?.replicas ?? 1;
  if (!isRolling(deployment)) return replicas;
  const room = replicas + maxSurge(deployment) - totalReplicas(sets);
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

export function newReplicaSet(
  deployment: Deployment,
  replicas: number,
  annotations: Record<string, string>,
): ReplicaSet {
  const { spec, status, metadata } = deployment;
  const hash = templateHash(withoutHash(spec?.template), status?.collisionCount);
  const labels = { ...spec?.template.metadata?.labels, [HASH_LABEL]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace,
      labels,
      annotations,
      ownerReferences: [controllerReference(deployment, DEPLOYMENT_KIND)],
    },
    spec: {
      replicas,
      ...(spec?.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      selector: { ...spec?.selector, matchLabels: { ...spec?.selector?.matchLabels, [HASH_LABEL]: hash } },
      template: {
        ...spec?.template,
        metadata: { ...spec?.template.metadata, labels },
        spec: spec?.template.spec ?? { containers: [] },
      },
    },
  };
}
