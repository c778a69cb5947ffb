/** The devices of ResourceSlices that a node can use, by pool. */
import type { NodeSelector } from '../../../api/generated/core-v1.ts';
import type { CounterSet, Device, ResourceSlice } from '../../../api/generated/resource-v1.ts';
import { nodeSelectorMatcher } from '../../../component-helpers/index.ts';
import type { NodeInfo } from '../../cache/node-info.ts';

/** A device that a node could use. */
export interface PoolDevice {
  readonly id: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: Device;
  /** Which nodes can use it; undefined for all of them. */
  readonly nodeSelector: NodeSelector | undefined;
}

export interface Pool {
  readonly driver: string;
  readonly name: string;
  readonly devices: readonly PoolDevice[];
  readonly counters: ReadonlyMap<string, CounterSet>;
  /** Whether all slices are known: allocation mode All needs a complete pool. */
  readonly complete: boolean;
}

export const deviceId = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`;

/** The pools with devices for a node, each at its newest generation. */
export function poolsOf(slices: readonly ResourceSlice[], node: NodeInfo): Pool[] {
  const newest = new Map<string, ResourceSlice[]>();
  for (const slice of slices) {
    const { driver, pool } = slice.spec;
    const key = `${driver}/${pool.name}`;
    const known = newest.get(key);
    const generation = known?.[0]?.spec.pool.generation ?? -1;
    if (pool.generation > generation) newest.set(key, [slice]);
    else if (pool.generation === generation) known!.push(slice);
  }
  const pools: Pool[] = [];
  for (const members of newest.values()) {
    const { driver, pool } = members[0]!.spec;
    const devices: PoolDevice[] = [];
    const counters = new Map<string, CounterSet>();
    for (const { spec } of members) {
      for (const set of spec.sharedCounters ?? []) counters.set(set.name, set);
      for (const device of spec.devices ?? []) {
        const where = spec.perDeviceNodeSelection ? device : spec;
        const usable = usableOn(where, node);
        if (usable === undefined) continue;
        devices.push({
          id: deviceId(driver, pool.name, device.name),
          driver,
          pool: pool.name,
          device,
          nodeSelector: device.bindsToNode ? onlyNode(node.name) : usable.nodeSelector,
        });
      }
    }
    if (devices.length > 0)
      pools.push({ driver, name: pool.name, devices, counters, complete: members.length === pool.resourceSliceCount });
  }
  return pools;
}

function usableOn(
  where: { nodeName?: string; nodeSelector?: NodeSelector; allNodes?: boolean },
  node: NodeInfo,
): { nodeSelector: NodeSelector | undefined } | undefined {
  if (where.nodeName) return where.nodeName === node.name ? { nodeSelector: onlyNode(node.name) } : undefined;
  if (where.allNodes) return { nodeSelector: undefined };
  if (where.nodeSelector && nodeSelectorMatcher(where.nodeSelector)(node)) return { nodeSelector: where.nodeSelector };
  return undefined;
}

export function onlyNode(name: string): NodeSelector {
  return { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }] };
}
