/** Consumable capacity: how much of a shared device's capacity a request consumes. */
import type { CapacityRequirements, Device, DeviceCapacity } from '../../../api/generated/resource-v1.ts';
import { ownValue } from '../../../base/index.ts';
import { wholeValue } from '../../cache/quantity-values.ts';

/** By capacity name, in whole units. */
export type Consumed = Readonly<Record<string, number>>;

/** The capacity that the request would consume; undefined when the request policy does not allow it. */
export function consumedBy(device: Device, wanted: CapacityRequirements | undefined): Consumed | undefined {
  const consumed: Record<string, number> = {};
  for (const [name, capacity] of Object.entries(device.capacity ?? {})) {
    const amount = amountOf(capacity, ownValue(wanted?.requests, name));
    if (amount === undefined) return undefined;
    consumed[name] = amount;
  }
  for (const name of Object.keys(wanted?.requests ?? {})) if (consumed[name] === undefined) return undefined;
  return consumed;
}

function amountOf({ value, requestPolicy }: DeviceCapacity, requested: string | undefined): number | undefined {
  const total = wholeValue(value);
  if (requestPolicy === undefined) return requested === undefined ? total : within(wholeValue(requested), total);
  const quantity = requested ?? requestPolicy.default;
  if (quantity === undefined) return total;
  let amount = wholeValue(quantity);
  const { validValues, validRange } = requestPolicy;
  if (validValues && validValues.length > 0) {
    const fitting = validValues.map(wholeValue).find((valid) => valid >= amount);
    return fitting === undefined ? undefined : within(fitting, total);
  }
  if (validRange) {
    const min = validRange.min === undefined ? 0 : wholeValue(validRange.min);
    amount = Math.max(amount, min);
    if (validRange.step !== undefined) {
      const step = wholeValue(validRange.step);
      if (step > 0) amount = min + Math.ceil((amount - min) / step) * step;
    }
    if (validRange.max !== undefined && amount > wholeValue(validRange.max)) return undefined;
  }
  return within(amount, total);
}

const within = (amount: number, total: number): number | undefined => (amount <= total ? amount : undefined);

/** Whether the device has enough capacity left. */
export function fitsBeside(device: Device, allocated: Consumed, more: Consumed): boolean {
  return Object.entries(more).every(
    ([name, amount]) => (allocated[name] ?? 0) + amount <= wholeValue(device.capacity?.[name]?.value ?? '0'),
  );
}

export function addConsumed(a: Consumed, b: Consumed): Consumed {
  const sum: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}
