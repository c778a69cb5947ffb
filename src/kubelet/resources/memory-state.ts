/** The memory of every NUMA node as the state file shows it, and what of it is reserved. */
import { ownValue, parseQuantity, Quantity } from '../../base/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { threshold } from '../node/capacity.ts';
import type { NodeTopology } from './node-topology.ts';

/** What a container has of one kind of memory, and where. */
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

interface NodeState {
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
  for (const blocks of assignments) for (const block of blocks) take(nodes, block);
  return nodes;
}

/** A block that spans nodes fills one after the other. */
function take(nodes: Record<string, NodeState>, { numaAffinity, type, size }: MemoryBlock): void {
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

/** `reservedMemory` of the configuration. Throws when it is not what the node keeps back altogether. */
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
  const kept = (type: string): number =>
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
    if (total !== kept(type))
      throw new Error(
        `the total amount ${JSON.stringify(Quantity.of(total, 'BinarySI').toString())} of type ${JSON.stringify(type)} is not equal to the value ${JSON.stringify(Quantity.of(kept(type), 'BinarySI').toString())} determined by Node Allocatable feature`,
      );
  }
  return table;
}
