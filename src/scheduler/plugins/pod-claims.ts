/** The PersistentVolumeClaims of a pod, for the plugins about volumes. */
import type { PersistentVolumeClaim, Volume } from '../../api/generated/core-v1.ts';
import type { PodInfo } from '../cache/pod-info.ts';

interface ClaimVolume {
  readonly name: string;
  readonly ephemeral: boolean;
}

/** The claim of a volume: the named one, or the one that is created for an ephemeral volume. */
function claimOfVolume(pod: PodInfo, volume: Volume): ClaimVolume | undefined {
  if (volume.persistentVolumeClaim !== undefined)
    return { name: volume.persistentVolumeClaim.claimName, ephemeral: false };
  if (volume.ephemeral !== undefined) return { name: `${pod.name}-${volume.name}`, ephemeral: true };
  return undefined;
}

export function claimVolumes(pod: PodInfo): ClaimVolume[] {
  return pod.shape.volumes.flatMap((volume) => claimOfVolume(pod, volume) ?? []);
}

/** Pods with claims do not share results with equal pods, because their claims may differ. */
export function claimSignature(pod: PodInfo): string | undefined {
  for (const volume of pod.shape.volumes) if (claimOfVolume(pod, volume) !== undefined) return undefined;
  return '';
}

export function storageClassOf(claim: PersistentVolumeClaim): string {
  return claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? claim.spec?.storageClassName ?? '';
}

/** Whether the volume binder has completed the binding. */
export function isFullyBound(claim: PersistentVolumeClaim): boolean {
  return (
    (claim.spec?.volumeName ?? '') !== '' &&
    claim.metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined
  );
}
