/** Dynamic resource allocation: claims, device classes, and the slices in which drivers publish devices. */
import type {
  AllocatedDeviceStatus,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from '../../../api/generated/resource-v1.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';
import { specChanges } from './spec-generation.ts';

export const deviceClasses: Strategy = { deleteReturnsObject: true, generationChanges: specChanges };

export const resourceSlices: Strategy = { deleteReturnsObject: true, generationChanges: specChanges };

export const resourceClaimTemplates: Strategy = { deleteReturnsObject: true };

export const resourceClaims: Strategy<ObjectOf<ResourceClaim>> = {
  deleteReturnsObject: true,
  statusMetadata: 'none',
  statusResetFields: ['spec', 'metadata'],
  prepareForStatusUpdate: forgetDeallocatedDevices,
};

/** Drops device statuses of deallocated devices: a client that deallocates need not know of them. */
function forgetDeallocatedDevices({ status }: ResourceClaim, old: ResourceClaim): void {
  if (!status?.devices) return;
  const gone = new Set((old.status?.allocation?.devices?.results ?? []).map(deviceKey));
  for (const result of status.allocation?.devices?.results ?? []) gone.delete(deviceKey(result));
  const kept = status.devices.filter((device) => !gone.has(deviceKey(device)));
  if (kept.length > 0) status.devices = kept;
  else delete status.devices;
}

const deviceKey = ({ driver, pool, device, shareID }: DeviceRequestAllocationResult | AllocatedDeviceStatus): string =>
  [driver, pool, device, shareID ?? ''].join('/');
