/** Warnings about claims. */
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../../api/generated/core-v1.ts';
import { quote } from '../../../../base/index.ts';
import { path, type Path } from '../../../errors/index.ts';
import { isWholeQuantity } from '../../quantities.ts';

export const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const STORAGE_CLASS_MESSAGE = 'deprecated since v1.8; use "storageClassName" attribute instead';

export function storageClassAnnotationWarnings(
  warnings: string[],
  annotations: Readonly<Record<string, string>> | undefined,
): void {
  if (annotations?.[STORAGE_CLASS_ANNOTATION] === undefined) return;
  warnings.push(`${path('metadata', 'annotations').key(STORAGE_CLASS_ANNOTATION)}: ${STORAGE_CLASS_MESSAGE}`);
}

export function claimSpecWarnings(warnings: string[], spec: PersistentVolumeClaimSpec, at: Path): void {
  const storage = spec.resources?.requests?.['storage'];
  if (storage === undefined || isWholeQuantity(storage)) return;
  const here = at.child('resources', 'requests').key('storage');
  warnings.push(`${here}: fractional byte value ${quote(storage)} is invalid, must be an integer`);
}

export function claimWarnings(warnings: string[], claim: PersistentVolumeClaim): void {
  storageClassAnnotationWarnings(warnings, claim.metadata?.annotations);
  if (claim.spec) claimSpecWarnings(warnings, claim.spec, path('spec'));
}
