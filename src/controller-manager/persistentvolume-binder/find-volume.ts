/** Finds the volume for a claim. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { parseQuantity, Quantity } from '../../base/index.ts';
import { keyOf } from '../../client/index.ts';
import { labelSelectorAsSelector } from '../../machinery/selectors/index.ts';
import { classOfClaim, classOfVolume, isBoundTo } from './annotations.ts';

/** A volume whose claimRef names the claim; otherwise the smallest one that matches. */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  options: { delayed: boolean },
): PersistentVolume | undefined {
  const requested = requestOf(claim);
  const able = volumes.filter(
    (volume) =>
      !volume.metadata.deletionTimestamp &&
      sameMode(volume, claim) &&
      capacityOf(volume).cmp(requested) >= 0 &&
      hasModes(volume, claim),
  );
  const reserved = able.find((volume) => isBoundTo(volume, claim));
  if (reserved) return reserved;
  // WaitForFirstConsumer: the scheduler chooses the volume with the node.
  if (options.delayed) return undefined;
  const selector = claim.spec?.selector ? labelSelectorAsSelector(claim.spec.selector) : undefined;
  const candidates = able.filter(
    (volume) =>
      !volume.spec?.claimRef &&
      volume.status?.phase === 'Available' &&
      classOfVolume(volume) === classOfClaim(claim) &&
      (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '') &&
      (!selector || selector.matches(volume.metadata.labels ?? {})),
  );
  return candidates.sort(bySuitability)[0];
}

/** Why the volume that a claim names cannot be bound to it. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (capacityOf(volume).cmp(requestOf(claim)) < 0) return 'requested PV is too small';
  if (classOfVolume(volume) !== classOfClaim(claim)) return 'storageClassName does not match';
  if ((volume.spec?.volumeAttributesClassName ?? '') !== (claim.spec?.volumeAttributesClassName ?? ''))
    return 'volumeAttributesClassName does not match';
  if (!sameMode(volume, claim)) return 'incompatible volumeMode';
  if (!hasModes(volume, claim)) return 'incompatible accessMode';
  return undefined;
}

export const sameMode = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem');

function bySuitability(a: PersistentVolume, b: PersistentVolume): number {
  const modes = (a.spec?.accessModes?.length ?? 0) - (b.spec?.accessModes?.length ?? 0);
  return modes || capacityOf(a).cmp(capacityOf(b)) || (keyOf(a) < keyOf(b) ? -1 : 1);
}

const hasModes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => (volume.spec?.accessModes ?? []).includes(mode));

const capacityOf = (volume: PersistentVolume): Quantity => storage(volume.spec?.capacity);
const requestOf = (claim: PersistentVolumeClaim): Quantity => storage(claim.spec?.resources?.requests);
const storage = (list: Readonly<Record<string, string>> | undefined): Quantity =>
  list?.['storage'] === undefined ? Quantity.zero() : parseQuantity(list['storage']);
