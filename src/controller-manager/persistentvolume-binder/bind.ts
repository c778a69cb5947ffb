/** The writes that bind and unbind a claim and a volume. Each is idempotent. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { keyOf, referenceTo, type EventRecorder } from '../../client/index.ts';
import type { ControllerContext } from '../controller.ts';
import type { WrittenObjects } from '../written-objects.ts';
import { annotationOf, BIND_COMPLETED, BOUND_BY_CONTROLLER, isBoundTo, withAnnotations } from './annotations.ts';

export interface Binder {
  readonly context: ControllerContext;
  readonly claims: WrittenObjects<PersistentVolumeClaim>;
  readonly volumes: WrittenObjects<PersistentVolume>;
  readonly recorder: EventRecorder;
}

export async function bind(binder: Binder, volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
  const bound = await setVolumePhase(binder, await bindVolume(binder, volume, claim), 'Bound');
  await setClaimBound(binder, await bindClaim(binder, claim, bound), bound);
}

async function bindVolume(
  binder: Binder,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  const { claimRef } = volume.spec ?? {};
  if (isBoundTo(volume, claim) && claimRef?.uid === claim.metadata.uid) return volume;
  const chosenHere = !isBoundTo(volume, claim);
  const referring = { ...volume, spec: { ...volume.spec, claimRef: referenceTo(claim) } };
  return updateVolume(binder, chosenHere ? withAnnotations(referring, { [BOUND_BY_CONTROLLER]: 'yes' }) : referring);
}

async function bindClaim(
  binder: Binder,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Promise<PersistentVolumeClaim> {
  const named = claim.spec?.volumeName === volume.metadata.name;
  if (named && annotationOf(claim, BIND_COMPLETED) !== undefined) return claim;
  const referring = { ...claim, spec: { ...claim.spec, volumeName: volume.metadata.name } };
  return updateClaim(
    binder,
    withAnnotations(referring, { [BIND_COMPLETED]: 'yes', ...(named ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }) }),
  );
}

/** Unbinds a volume from a claim; a claimRef that the user has set stays. */
export async function unbindVolume(binder: Binder, volume: PersistentVolume): Promise<void> {
  const { claimRef, ...spec } = volume.spec ?? {};
  const chosenHere = annotationOf(volume, BOUND_BY_CONTROLLER) !== undefined;
  const free = chosenHere
    ? withAnnotations({ ...volume, spec }, { [BOUND_BY_CONTROLLER]: undefined })
    : { ...volume, spec: { ...spec, claimRef: { ...claimRef, uid: undefined } } };
  await setVolumePhase(binder, await updateVolume(binder, free), 'Available');
}

export async function setVolumePhase(
  binder: Binder,
  volume: PersistentVolume,
  phase: string,
  message?: string,
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase && volume.status.message === message) return volume;
  const { message: _, ...status } = volume.status ?? {};
  const resource = binder.context.client.resource('v1/persistentvolumes');
  return binder.volumes.wrote(
    await resource.updateStatus(
      { ...volume, status: { ...status, phase, ...(message === undefined ? {} : { message }) } },
      { signal: binder.context.signal },
    ),
  );
}

async function setClaimBound(binder: Binder, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
  const { phase } = claim.status ?? {};
  const accessModes = volume.spec?.accessModes;
  const capacity = volume.spec?.capacity;
  // Once bound, the component that resizes the file system writes the capacity.
  if (phase === 'Bound' && deepEqual(claim.status?.accessModes, accessModes)) return;
  const attributes = volume.spec?.volumeAttributesClassName;
  const status = {
    ...claim.status,
    phase: 'Bound',
    accessModes,
    ...(phase === 'Bound' ? {} : { capacity }),
    ...(attributes === undefined ? {} : { currentVolumeAttributesClassName: attributes }),
  };
  await updateClaimStatus(binder, claim, status);
}

export async function setClaimPending(binder: Binder, claim: PersistentVolumeClaim): Promise<void> {
  if (claim.status?.phase === 'Pending') return;
  await updateClaimStatus(binder, claim, {
    ...claim.status,
    phase: 'Pending',
    accessModes: undefined,
    capacity: undefined,
  });
}

export async function setClaimLost(
  binder: Binder,
  claim: PersistentVolumeClaim,
  reason: string,
  message: string,
): Promise<void> {
  if (claim.status?.phase === 'Lost') return;
  const lost = await updateClaimStatus(binder, claim, {
    ...claim.status,
    phase: 'Lost',
    accessModes: undefined,
    capacity: undefined,
  });
  binder.recorder.event(lost, 'Warning', reason, message);
}

export async function updateClaim(binder: Binder, claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
  return binder.claims.wrote(
    await binder.context.client.resource('v1/persistentvolumeclaims').update(claim, { signal: binder.context.signal }),
  );
}

async function updateClaimStatus(
  binder: Binder,
  claim: PersistentVolumeClaim,
  status: PersistentVolumeClaim['status'],
): Promise<PersistentVolumeClaim> {
  return binder.claims.wrote(
    await binder.context.client
      .resource('v1/persistentvolumeclaims')
      .updateStatus({ ...claim, status }, { signal: binder.context.signal }),
  );
}

async function updateVolume(binder: Binder, volume: PersistentVolume): Promise<PersistentVolume> {
  return binder.volumes.wrote(
    await binder.context.client.resource('v1/persistentvolumes').update(volume, { signal: binder.context.signal }),
  );
}

export const claimKeyOf = (volume: PersistentVolume): string | undefined =>
  volume.spec?.claimRef &&
  keyOf({ metadata: { namespace: volume.spec.claimRef.namespace, name: volume.spec.claimRef.name } });
