/** The annotations of bound claims and volumes, and functions that read class and claimRef. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import type { ApiObject } from '../../client/index.ts';

/** Set on a claim when its binding was completed. Losing its volume afterwards makes it Lost. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** Set when the controller chose the binding, so that it may undo it. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
/** Set by the scheduler for claims that wait for their first consumer. */
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

/** The name of the StorageClass; empty when there is none. */
export const classOfClaim = (claim: PersistentVolumeClaim): string =>
  annotationOf(claim, BETA_STORAGE_CLASS) ?? claim.spec?.storageClassName ?? '';
export const classOfVolume = (volume: PersistentVolume): string =>
  annotationOf(volume, BETA_STORAGE_CLASS) ?? volume.spec?.storageClassName ?? '';
export const isDefaultClass = (storageClass: ApiObject): boolean =>
  annotationOf(storageClass, IS_DEFAULT_CLASS) === 'true' ||
  annotationOf(storageClass, BETA_IS_DEFAULT_CLASS) === 'true';

/** A claimRef without a uid reserves the volume for any claim of that name. */
export function isBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { claimRef } = volume.spec ?? {};
  if (claimRef?.name !== claim.metadata.name || claimRef?.namespace !== claim.metadata.namespace) return false;
  return claimRef?.uid === undefined || claimRef.uid === '' || claimRef.uid === claim.metadata.uid;
}
