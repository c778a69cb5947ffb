/** Which devices are taken, by the claims that the API server knows and by those that are being written. */
import type { AllocationResult, ResourceClaim } from '../../../api/generated/resource-v1.ts';
import { wholeValue } from '../../cache/quantity-values.ts';
import { addConsumed, type Consumed } from './consumable-capacity.ts';
import { deviceId } from './pools.ts';

export class DeviceUsage {
  /** Devices that somebody has for himself. */
  readonly exclusive = new Set<string>();
  /** Devices that are shared, and what is taken of them. */
  readonly shared = new Map<string, Consumed>();

  add(allocation: AllocationResult): void {
    for (const result of allocation.devices?.results ?? []) {
      /** Looking after a device takes it from nobody. */
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
