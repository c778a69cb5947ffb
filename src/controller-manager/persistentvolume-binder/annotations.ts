/** The marks by which claims and volumes remember how they came together, and what else is read from either. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import type { ApiObject } from '../../client/index.ts';

/** The claim has been bound completely, once; from then on its volume is its only one. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** The binding was chosen here, not by a user, and may be undone here. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
/** Set by the scheduler when the first pod that uses the claim has found its node. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
export const IS_DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const BETA_IS_DEFAULT_CLASS = 'storageclass.beta.kubernetes.io/is-default-class';
const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

export const annotationOf = (object: ApiObject, name: string): string | undefined =>
  ownValue(object.metadata.annotations, name);

export function withAnnotations<T extends ApiObject>(
  object: T,
  annotations: Readonly<Record<string, string | undefined>>,
): T {
  const merged: Record<string, string> = { ...object.metadata.annotations };
  for (const [name, value] of Object.entries(annotations)) {
    if (value === undefined) delete merged[name];
    else merged[name] = value;
  }
  return {
    ...object,
    metadata: { ...object.metadata, annotations: Object.keys(merged).length > 0 ? merged : undefined },
  };
}

/** The class by name; empty when there is none. */
export const classOfClaim = (claim: PersistentVolumeClaim): string =>
  annotationOf(claim, BETA_STORAGE_CLASS) ?? claim.spec?.storageClassName ?? '';
export const classOfVolume = (volume: PersistentVolume): string =>
  annotationOf(volume, BETA_STORAGE_CLASS) ?? volume.spec?.storageClassName ?? '';
export const isDefaultClass = (storageClass: ApiObject): boolean =>
  annotationOf(storageClass, IS_DEFAULT_CLASS) === 'true' ||
  annotationOf(storageClass, BETA_IS_DEFAULT_CLASS) === 'true';

/** A user may name a claim without its uid; then the volume waits for any claim of that name. */
export function isBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { claimRef } = volume.spec ?? {};
  if (claimRef?.name !== claim.metadata.name || claimRef?.namespace !== claim.metadata.namespace) return false;
  return claimRef?.uid === undefined || claimRef.uid === '' || claimRef.uid === claim.metadata.uid;
}
