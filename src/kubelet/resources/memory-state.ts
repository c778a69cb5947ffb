/** The machine state of the memory manager's state file, and `reservedMemory` of the configuration. */
import { ownValue, parseQuantity, Quantity } from '../../base/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { threshold } from '../node/capacity.ts';
import type { NodeTopology } from './node-topology.ts';

/** Memory of one type that is allocated to a container, and its NUMA nodes. */
export interface MemoryBlock {
  readonly numaAffinity: readonly number[];
  /** `memory` or `hugepages-2Mi`. */
  readonly type: string;
  readonly size: number;
}

/** Bytes by NUMA node and type. */
export type MemoryTable = ReadonlyMap<number, Readonly<Record<string, number>>>;

interface TypeState {
  readonly total: number;
  readonly systemReserved: number;
  readonly allocatable: number;
  reserved: number;
  free: number;
}

export interface NodeState {
  numberOfAssignments: number;
  readonly memoryMap: Record<string, TypeState>;
  cells: readonly number[];
}

export function machineState({
  topology,
  reserved,
  allocatable,
  assignments,
}: {
  readonly topology: NodeTopology;
  readonly reserved: MemoryTable;
  readonly allocatable: MemoryTable;
  readonly assignments: readonly (readonly MemoryBlock[])[];
}): Record<string, NodeState> {
  const nodes: Record<string, NodeState> = {};
  for (const { id, memoryBytes, hugePages } of topology.numaNodes) {
    const totals: Record<string, number> = {
      memory: memoryBytes,
      ...Object.fromEntries(Object.entries(hugePages).map(([size, bytes]) => [`hugepages-${size}`, bytes])),
    };
    const memoryMap = Object.fromEntries(
      Object.entries(totals).map(([type, total]): [string, TypeState] => {
        const usable = allocatable.get(id)?.[type] ?? 0;
        return [
          type,
          { total, systemReserved: reserved.get(id)?.[type] ?? 0, allocatable: usable, reserved: 0, free: usable },
        ];
      }),
    );
    nodes[id] = { numberOfAssignments: 0, memoryMap, cells: [id] };
  }
  for (const blocks of assignments) for (const block of blocks) reserve(nodes, block);
  return nodes;
}

/** A block that spans NUMA nodes fills one after the other. */
function reserve(nodes: Record<string, NodeState>, { numaAffinity, type, size }: MemoryBlock): void {
  let left = size;
  for (const id of numaAffinity) {
    const node = nodes[id];
    const memory = node?.memoryMap[type];
    if (node === undefined || memory === undefined) continue;
    node.numberOfAssignments++;
    node.cells = numaAffinity;
    const part = Math.min(left, memory.free);
    memory.reserved += part;
    memory.free -= part;
    left -= part;
  }
}

/** `reservedMemory` by NUMA node. Throws when its total differs from the node's reservations. */
export function reservedMemory(
  config: KubeletConfiguration,
  memoryCapacity: number,
): Map<number, Record<string, number>> {
  const table = new Map<number, Record<string, number>>();
  for (const entry of config.reservedMemory) {
    const node = Number(entry['numaNode'] ?? 0);
    const limits = (entry['limits'] ?? {}) as Readonly<Record<string, string | number>>;
    if (table.has(node))
      throw new Error(
        `invalid configuration: reservedMemory (--reserved-memory) has a duplicate value for NUMA node ${node}`,
      );
    table.set(
      node,
      Object.fromEntries(
        Object.entries(limits).map(([type, quantity]) => [type, parseQuantity(String(quantity)).value()]),
      ),
    );
  }
  if (config.memoryManagerPolicy !== 'Static') return table;
  const reserved = (type: string): number =>
    [config.kubeReserved[type], config.systemReserved[type]].reduce(
      (sum, text) => sum + (text === undefined ? 0 : parseQuantity(text).value()),
      type === 'memory' ? threshold(config.evictionHard['memory.available'], memoryCapacity) : 0,
    );
  const types = new Set([
    'memory',
    ...[...table.values()].flatMap((limits) => Object.keys(limits)),
    ...Object.keys(config.kubeReserved)
      .concat(Object.keys(config.systemReserved))
      .filter((name) => name.startsWith('hugepages-')),
  ]);
  for (const type of types) {
    const total = [...table.values()].reduce((sum, limits) => sum + (ownValue(limits, type) ?? 0), 0);
    if (total !== reserved(type))
      throw new Error(
        `the total amount ${JSON.stringify(Quantity.of(total, 'BinarySI').toString())} of type ${JSON.stringify(type)} is not equal to the value ${JSON.stringify(Quantity.of(reserved(type), 'BinarySI').toString())} determined by Node Allocatable feature`,
      );
  }
  return table;
}
