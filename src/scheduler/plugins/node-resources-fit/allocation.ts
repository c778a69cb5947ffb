/** The allocatable and requested amounts of resources on a node, for scores. */
import type { NodeTable } from '../../cache/node-table.ts';
import type { PodInfo } from '../../cache/pod-info.ts';

export interface ResourceWeight {
  readonly name: string;
  readonly weight: number;
}

interface Allocation {
  readonly weight: number;
  allocatable(slot: number): number;
  /** Without the pod. */
  requested(slot: number): number;
  readonly podRequest: number;
}

/**
 * `exact` counts requests as they are, otherwise with defaults for containers without requests. Extended resources that
 * the pod does not request are left out.
 */
export function allocations(
  table: NodeTable,
  pod: PodInfo,
  resources: readonly ResourceWeight[],
  exact: boolean,
): Allocation[] {
  const { requests } = pod.shape;
  const found: Allocation[] = [];
  for (const { name, weight } of resources) {
    switch (name) {
      case 'cpu':
        found.push({
          weight,
          podRequest: exact ? requests.milliCpu : requests.nonZeroMilliCpu,
          allocatable: (slot) => table.allocatableCpu[slot]!,
          requested: exact ? (slot) => table.requestedCpu[slot]! : (slot) => table.nonZeroCpu[slot]!,
        });
        break;
      case 'memory':
        found.push({
          weight,
          podRequest: exact ? requests.memory : requests.nonZeroMemory,
          allocatable: (slot) => table.allocatableMemory[slot]!,
          requested: exact ? (slot) => table.requestedMemory[slot]! : (slot) => table.nonZeroMemory[slot]!,
        });
        break;
      case 'ephemeral-storage':
        found.push({
          weight,
          podRequest: requests.ephemeralStorage,
          allocatable: (slot) => table.allocatableEphemeral[slot]!,
          requested: (slot) => table.requestedEphemeral[slot]!,
        });
        break;
      default: {
        const podRequest = requests.scalars.find(([scalar]) => scalar === name)?.[1] ?? 0;
        if (podRequest === 0) break;
        const column = table.scalar(name);
        found.push({
          weight,
          podRequest,
          allocatable: (slot) => column.allocatable[slot]!,
          requested: (slot) => column.requested[slot]!,
        });
      }
    }
  }
  return found;
}
