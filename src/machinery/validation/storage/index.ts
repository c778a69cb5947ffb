/** Validation of the storage group: StorageClasses, VolumeAttributesClasses, VolumeAttachments and CSI objects. */
import type { KindValidation } from '../kind-validation.ts';
import { csiDriver, csiNode, csiStorageCapacity } from './csi.ts';
import { storageClass, volumeAttributesClass } from './storage-class.ts';
import { volumeAttachment } from './volume-attachment.ts';

export const storageValidations: Readonly<Record<string, KindValidation>> = {
  'storage.k8s.io/csidrivers': csiDriver,
  'storage.k8s.io/csinodes': csiNode,
  'storage.k8s.io/csistoragecapacities': csiStorageCapacity,
  'storage.k8s.io/storageclasses': storageClass,
  'storage.k8s.io/volumeattachments': volumeAttachment,
  'storage.k8s.io/volumeattributesclasses': volumeAttributesClass,
};
