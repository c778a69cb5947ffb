/** The capacity of the node, and its allocatable: capacity without reservations and hard eviction thresholds. */
import { parseQuantity, Quantity } from '../../base/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import type { FilesystemUse, Machine } from './machine.ts';

type ResourceTexts = Record<string, string>;

export interface CapacityInput {
  readonly machine: Machine;
  readonly nodefs: FilesystemUse;
  readonly config: KubeletConfiguration;
  /** Devices of device plugins: all, and the healthy ones. */
  readonly devices: {
    readonly capacity: Readonly<Record<string, number>>;
    readonly allocatable: Readonly<Record<string, number>>;
  };
}

export function nodeCapacity({ machine, nodefs, config, devices }: CapacityInput): ResourceTexts {
  const pods = config.podsPerCore > 0 ? Math.min(config.podsPerCore * machine.cpus, config.maxPods) : config.maxPods;
  return {
    cpu: String(machine.cpus),
    'ephemeral-storage': kibibytes(nodefs.capacityBytes),
    ...Object.fromEntries(
      Object.entries(machine.hugePages).map(([size, total]) => [
        `hugepages-${size}`,
        total === 0 ? '0' : kibibytes(total),
      ]),
    ),
    memory: kibibytes(machine.memoryBytes),
    pods: String(pods),
    ...Object.fromEntries(Object.entries(devices.capacity).map(([name, count]) => [name, String(count)])),
  };
}

const kibibytes = (bytes: number): string => Quantity.of(Math.floor(bytes / 1024) * 1024, 'BinarySI').toString();

export function nodeAllocatable(capacity: Readonly<ResourceTexts>, input: CapacityInput): ResourceTexts {
  const { config, machine, nodefs, devices } = input;
  const result: ResourceTexts = {};
  const hugePageBytes = Object.entries(machine.hugePages).reduce((sum, [, total]) => sum + total, 0);
  for (const [name, total] of Object.entries(capacity)) {
    if (devices.capacity[name] !== undefined) {
      result[name] = String(devices.allocatable[name] ?? 0);
      continue;
    }
    let left = parseQuantity(total);
    for (const reserved of [config.kubeReserved[name], config.systemReserved[name]])
      if (reserved !== undefined) left = left.sub(parseQuantity(reserved));
    if (name === 'memory') {
      left = left.sub(Quantity.of(threshold(config.evictionHard['memory.available'], machine.memoryBytes)));
      if (hugePageBytes > 0) left = left.sub(Quantity.of(hugePageBytes));
    }
    if (name === 'ephemeral-storage')
      left = Quantity.of(left.value() - threshold(config.evictionHard['nodefs.available'], nodefs.capacityBytes));
    result[name] = left.sign() < 0 ? '0' : left.toString();
  }
  return result;
}

/** The amount of a threshold such as `100Mi`, or `10%` of the capacity. */
export function threshold(text: string | undefined, capacity: number): number {
  if (text === undefined || text === '') return 0;
  return text.endsWith('%') ? Math.floor((Number(text.slice(0, -1)) / 100) * capacity) : parseQuantity(text).value();
}
