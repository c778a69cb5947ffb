/** The devices that are allocated, by claims in the API server and by assumed ones. */
import type { AllocationResult, ResourceClaim } from '../../../api/generated/resource-v1.ts';
import { wholeValue } from '../../cache/quantity-values.ts';
import { addConsumed, type Consumed } from './consumable-capacity.ts';
import { deviceId } from './pools.ts';

export class DeviceUsage {
  /** Devices that one claim uses exclusively. */
  readonly exclusive = new Set<string>();
  /** Shared devices, with the capacity that is consumed. */
  readonly shared = new Map<string, Consumed>();

  add(allocation: AllocationResult): void {
    for (const result of allocation.devices?.results ?? []) {
      // Admin access does not allocate the device.
      if (result.adminAccess) continue;
      const id = deviceId(result.driver, result.pool, result.device);
      if (result.shareID === undefined && result.consumedCapacity === undefined) this.exclusive.add(id);
      else {
        const consumed = Object.fromEntries(
          Object.entries(result.consumedCapacity ?? {}).map(([name, text]) => [name, wholeValue(text)]),
        );
        this.shared.set(id, addConsumed(this.shared.get(id) ?? {}, consumed));
      }
    }
  }
}

export function usageOf(claims: Iterable<ResourceClaim>): DeviceUsage {
  const usage = new DeviceUsage();
  for (const claim of claims) if (claim.status?.allocation) usage.add(claim.status.allocation);
  return usage;
}
