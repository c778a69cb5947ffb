/** What the PersistentVolume binder watches, and which volumes and claims an event concerns. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { keyOf, type SharedInformer } from '../../client/index.ts';
import { watch, type Watch } from '../controller.ts';
import { classOfClaim, classOfVolume } from './annotations.ts';
import { claimKeyOf } from './bind.ts';

export const VOLUMES_BY_CLAIM = 'claimRef';
export const CLAIMS_BY_VOLUME = 'volumeName';

interface BinderInformers {
  /** With the index VOLUMES_BY_CLAIM. */
  readonly volumes: SharedInformer<PersistentVolume>;
  /** With the index CLAIMS_BY_VOLUME. */
  readonly claims: SharedInformer<PersistentVolumeClaim>;
  readonly classes: SharedInformer<StorageClass>;
}

export function volumeWatches({ volumes, claims }: BinderInformers): readonly Watch[] {
  const itself = (volume: PersistentVolume): string[] => [keyOf(volume)];
  const volumesOf = (claim: PersistentVolumeClaim): string[] => [
    ...volumes.indexer.keysByIndex(VOLUMES_BY_CLAIM, keyOf(claim)),
    ...(claim.spec?.volumeName ? [claim.spec.volumeName] : []),
  ];
  return [
    watch(volumes, { added: itself, updated: (_, after) => itself(after), deleted: itself }),
    watch(claims, { added: volumesOf, updated: (_, after) => volumesOf(after), deleted: volumesOf }),
  ];
}

export function claimWatches({ volumes, claims, classes }: BinderInformers): readonly Watch[] {
  const itself = (claim: PersistentVolumeClaim): string[] => [keyOf(claim)];
  const pending = (isFor: (storageClass: string) => boolean): string[] =>
    claims
      .list()
      .filter((claim) => claim.status?.phase === 'Pending' && isFor(classOfClaim(claim)))
      .map(keyOf);
  const claimsOf = (volume: PersistentVolume): string[] => {
    const claimed = claimKeyOf(volume);
    const referring = claims.indexer.keysByIndex(CLAIMS_BY_VOLUME, keyOf(volume));
    return claimed === undefined ? [...referring] : [claimed, ...referring];
  };
  /** A new class may be the default of claims without one. */
  const claimsOfClass = ({ metadata }: StorageClass): string[] =>
    pending((storageClass) => storageClass === '' || storageClass === metadata.name);
  return [
    watch(volumes, {
      added: claimsOf,
      updated: (before, after) => {
        const isFreed = after.status?.phase === 'Available' && before.status?.phase !== 'Available';
        const waiting = isFreed ? pending((storageClass) => storageClass === classOfVolume(after)) : [];
        return [...claimsOf(after), ...waiting];
      },
      deleted: claimsOf,
    }),
    watch(claims, { added: itself, updated: (_, after) => itself(after), deleted: itself }),
    watch(classes, { added: claimsOfClass, updated: (_, after) => claimsOfClass(after), deleted: claimsOfClass }),
  ];
}
