/** Syncs one PersistentVolumeClaim: binds it to a volume, or asks a provisioner for one. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { parseTime } from '../../base/index.ts';
import { keyOf, type SharedInformer } from '../../client/index.ts';
import type { Counter } from '../../kernel/index.ts';
import {
  annotationOf,
  BETA_STORAGE_PROVISIONER,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  classOfClaim,
  isBoundTo,
  isDefaultClass,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
  withAnnotations,
} from './annotations.ts';
import { bind, setClaimLost, setClaimPending, updateClaim, type Binder } from './bind.ts';
import { findVolume, mismatch } from './find-volume.ts';

export interface ClaimBinder extends Binder {
  readonly classes: SharedInformer<StorageClass>;
  /** Claims that get the default StorageClass after their creation. */
  readonly lateClasses: Counter;
  readonly lateClassFailures: Counter;
  podsUsing(claim: PersistentVolumeClaim): readonly Pod[];
}

export async function syncClaim(binder: ClaimBinder, claim: PersistentVolumeClaim): Promise<void> {
  if (annotationOf(claim, BIND_COMPLETED) !== undefined) return syncBoundClaim(binder, claim);
  const { volumeName } = claim.spec ?? {};
  if (volumeName) return syncClaimOfVolume(binder, claim, binder.volumes.get(volumeName), volumeName);

  const storageClass = binder.classes.get(classOfClaim(claim));
  const delayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  const volume = findVolume(claim, binder.volumes.list(), { delayed });
  if (volume) return bind(binder, volume, claim);

  const classified = await assignDefaultClass(binder, claim);
  if (classified) return syncClaim(binder, classified);
  if (delayed && annotationOf(claim, SELECTED_NODE) === undefined) recordWaitingEvent(binder, claim);
  else if (classOfClaim(claim) !== '') return provision(binder, claim, storageClass);
  else
    binder.recorder.event(
      claim,
      'Normal',
      'FailedBinding',
      'no persistent volumes available for this claim and no storage class is set',
    );
  await setClaimPending(binder, claim);
}

/** The claim has spec.volumeName, but is not bound completely. */
async function syncClaimOfVolume(
  binder: ClaimBinder,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
  name: string,
): Promise<void> {
  if (!volume) return setClaimPending(binder, claim);
  if (!volume.spec?.claimRef) {
    const why = mismatch(volume, claim);
    if (why === undefined) return bind(binder, volume, claim);
    binder.recorder.event(claim, 'Warning', 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${why}`);
    return setClaimPending(binder, claim);
  }
  if (isBoundTo(volume, claim)) return bind(binder, volume, claim);
  if (annotationOf(claim, BOUND_BY_CONTROLLER) === undefined) {
    const { namespace, name: other } = volume.spec.claimRef;
    binder.recorder.event(
      claim,
      'Warning',
      'FailedBinding',
      `volume "${name}" already bound to a different claim: "${namespace ?? ''}/${other ?? ''}"`,
    );
  }
  return setClaimPending(binder, claim);
}

async function syncBoundClaim(binder: ClaimBinder, claim: PersistentVolumeClaim): Promise<void> {
  const { volumeName } = claim.spec ?? {};
  if (!volumeName)
    return setClaimLost(
      binder,
      claim,
      'ClaimLost',
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    );
  const volume = binder.volumes.get(volumeName);
  if (!volume)
    return setClaimLost(
      binder,
      claim,
      'ClaimLost',
      'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    );
  const { claimRef } = volume.spec ?? {};
  if (!claimRef || claimRef.uid === claim.metadata.uid) return bind(binder, volume, claim);
  return setClaimLost(
    binder,
    claim,
    'ClaimMisbound',
    'Two claims are bound to the same volume, this one is bound incorrectly',
  );
}

/** Assigns the default StorageClass to a claim without one; the newest when there are several. */
async function assignDefaultClass(
  binder: ClaimBinder,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolumeClaim | undefined> {
  if (claim.spec?.storageClassName !== undefined || classOfClaim(claim) !== '') return undefined;
  const [newest] = binder.classes
    .list()
    .filter(isDefaultClass)
    .sort((a, b) => createdAt(b) - createdAt(a) || (keyOf(a) < keyOf(b) ? -1 : 1));
  if (!newest) return undefined;
  binder.lateClasses.inc();
  try {
    return await updateClaim(binder, { ...claim, spec: { ...claim.spec, storageClassName: newest.metadata.name } });
  } catch (error) {
    binder.lateClassFailures.inc();
    throw error;
  }
}

const createdAt = ({ metadata: { creationTimestamp } }: StorageClass): number =>
  creationTimestamp ? parseTime(creationTimestamp) : 0;

function recordWaitingEvent(binder: ClaimBinder, claim: PersistentVolumeClaim): void {
  const names = binder
    .podsUsing(claim)
    .map((pod) => pod.metadata.name ?? '')
    .sort();
  if (names.length === 0)
    return binder.recorder.event(
      claim,
      'Normal',
      'WaitForFirstConsumer',
      'waiting for first consumer to be created before binding',
    );
  const message =
    names.length === 1
      ? `waiting for pod ${names[0]} to be scheduled`
      : `waiting for pods ${names.join(',')} to be scheduled`;
  binder.recorder.event(claim, 'Normal', 'WaitForPodScheduled', message);
}

/** External provisioners find their claims by an annotation. */
async function provision(
  binder: ClaimBinder,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): Promise<void> {
  if (!storageClass) {
    binder.recorder.event(
      claim,
      'Warning',
      'ProvisioningFailed',
      `storageclass.storage.k8s.io "${classOfClaim(claim)}" not found`,
    );
    return setClaimPending(binder, claim);
  }
  const { provisioner } = storageClass;
  if (provisioner === 'kubernetes.io/no-provisioner') return setClaimPending(binder, claim);
  const isAnnotated =
    annotationOf(claim, STORAGE_PROVISIONER) === provisioner &&
    annotationOf(claim, BETA_STORAGE_PROVISIONER) === provisioner;
  const current = isAnnotated
    ? claim
    : await updateClaim(
        binder,
        withAnnotations(claim, { [STORAGE_PROVISIONER]: provisioner, [BETA_STORAGE_PROVISIONER]: provisioner }),
      );
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  binder.recorder.event(current, 'Normal', 'ExternalProvisioning', message);
  await setClaimPending(binder, current);
}
