import type { CSIDriver, VolumeAttachment } from '../../../api/generated/storage-v1.ts';
import { deepEqual } from '../../../base/index.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';

export const storageClasses: Strategy = { deleteReturnsObject: true };

export const volumeAttributesClasses: Strategy = { deleteReturnsObject: true };

export const volumeAttachments: Strategy<ObjectOf<VolumeAttachment>> = {
  deleteReturnsObject: true,
  requireResourceVersionOnUpdate: true,
  statusMetadata: 'none',
  statusResetFields: ['spec', 'metadata'],
};

/** A CSIDriver has no generation before the first change of a mutable field. */
export const csiDrivers: Strategy<ObjectOf<CSIDriver>> = {
  deleteReturnsObject: true,
  requireResourceVersionOnUpdate: true,
  prepareForUpdate(driver, old) {
    if (!deepEqual(driver.spec, old.spec)) driver.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
};

export const csiNodes: Strategy = { deleteReturnsObject: true, requireResourceVersionOnUpdate: true };

export const csiStorageCapacities: Strategy = { requireResourceVersionOnUpdate: true };
