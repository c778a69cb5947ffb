/** The objects that a pod references, and that its node may therefore read: `secret ns/name`, `configmap ns/name`, … */
import type { Container, EphemeralContainer, Pod, Volume } from '../../../api/generated/core-v1.ts';
import { allContainers } from '../../../component-helpers/index.ts';

const MIRROR = 'kubernetes.io/config.mirror';

export function podReferences(pod: Pod, namespace: string, name: string): string[] {
  // Nodes create mirror pods themselves: their references must not grant access.
  if (pod.metadata?.annotations?.[MIRROR] !== undefined) return [];
  const { spec } = pod;
  if (!spec) return [];
  const found = new Set<string>();
  const add = (kind: string, referred: string | undefined): void => {
    if (referred) found.add(`${kind} ${namespace}/${referred}`);
  };
  add('serviceaccount', spec.serviceAccountName);
  for (const secret of spec.imagePullSecrets ?? []) add('secret', secret.name);
  for (const container of allContainers(spec)) addEnvironment(container, add);
  for (const volume of spec.volumes ?? []) addVolume(volume, name, add);
  addClaims(pod, add);
  return [...found];
}

type Add = (kind: string, name: string | undefined) => void;

function addEnvironment({ env, envFrom }: Container | EphemeralContainer, add: Add): void {
  for (const { secretRef, configMapRef } of envFrom ?? []) {
    add('secret', secretRef?.name);
    add('configmap', configMapRef?.name);
  }
  for (const { valueFrom } of env ?? []) {
    add('secret', valueFrom?.secretKeyRef?.name);
    add('configmap', valueFrom?.configMapKeyRef?.name);
  }
}

function addVolume(volume: Volume, pod: string, add: Add): void {
  add('secret', volume.secret?.secretName);
  add('secret', volume.azureFile?.secretName);
  for (const { secretRef } of [
    volume.cephfs,
    volume.cinder,
    volume.flexVolume,
    volume.rbd,
    volume.scaleIO,
    volume.iscsi,
    volume.storageos,
  ].map((source) => source ?? {}) as { secretRef?: { name?: string } }[]) {
    add('secret', secretRef?.name);
  }
  add('secret', volume.csi?.nodePublishSecretRef?.name);
  add('configmap', volume.configMap?.name);
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    add('secret', secret?.name);
    add('configmap', configMap?.name);
  }
  add('pvc', volume.persistentVolumeClaim?.claimName);
  if (volume.ephemeral) add('pvc', `${pod}-${volume.name}`);
}

/** The status has the names of claims that were created from a template. */
function addClaims({ spec, status }: Pod, add: Add): void {
  for (const claim of spec?.resourceClaims ?? []) {
    if (claim.resourceClaimName) add('resourceclaim', claim.resourceClaimName);
    else
      add('resourceclaim', status?.resourceClaimStatuses?.find(({ name }) => name === claim.name)?.resourceClaimName);
  }
  add('resourceclaim', status?.extendedResourceClaimStatus?.resourceClaimName);
}
