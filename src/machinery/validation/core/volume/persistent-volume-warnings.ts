/** Warnings about PersistentVolumes. */
import type { PersistentVolume, PersistentVolumeSpec } from '../../../../api/generated/core-v1.ts';
import { path } from '../../../errors/index.ts';
import { nodeSelectorTermWarnings } from '../node/node-labels.ts';
import { storageClassAnnotationWarnings } from './claim-warnings.ts';

const SPEC = path('spec');

/** The field, upstream's name for it, and since when it is deprecated or not supported. */
const DEPRECATED: readonly (readonly [keyof PersistentVolumeSpec, string, string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
];

export function persistentVolumeWarnings(warnings: string[], object: PersistentVolume): void {
  storageClassAnnotationWarnings(warnings, object.metadata?.annotations);
  const spec = object.spec ?? {};
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const what =
      'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
    warnings.push(`${SPEC.child('persistentVolumeReclaimPolicy')}: ${what}`);
  }
  for (const [i, term] of (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).entries()) {
    nodeSelectorTermWarnings(warnings, term, SPEC.child('nodeAffinity', 'required', 'nodeSelectorTerms').index(i), {
      checkValues: false,
    });
  }
  for (const [field, name, message] of DEPRECATED)
    if (spec[field] !== undefined) warnings.push(`${SPEC.child(name)}: ${message}`);
}
