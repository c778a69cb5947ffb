/** Counts the devices of a driver's pools, from its ResourceSlices and the claims that devices are allocated to. */
import type { ResourceClaim, ResourceSlice } from '../../api/generated/resource-v1.ts';
import type { PoolStatus, ResourcePoolStatusRequestSpec } from '../../api/generated/resource-v1alpha3.ts';

const MESSAGE_LIMIT = 256;

interface Pool {
  readonly driver: string;
  readonly name: string;
  /** Slices of earlier generations do not count. */
  readonly generation: number;
  readonly expectedSlices: number;
  slices: number;
  devices: number;
  /** Of all slices; undefined where they differ. */
  node: string | undefined;
}

/** All pools that are asked about, in the order of their names. */
export function poolStatuses(
  { driver, poolName }: Pick<ResourcePoolStatusRequestSpec, 'driver' | 'poolName'>,
  slices: Iterable<ResourceSlice>,
  claims: Iterable<ResourceClaim>,
): PoolStatus[] {
  const pools = new Map<string, Pool>();
  for (const { spec } of slices)
    if (spec.driver === driver && (!poolName || spec.pool.name === poolName)) countSlice(pools, spec);
  const allocated = new Map<string, number>();
  for (const { status } of claims)
    for (const result of status?.allocation?.devices?.results ?? [])
      if (result.driver === driver) allocated.set(result.pool, (allocated.get(result.pool) ?? 0) + 1);
  return [...pools.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((pool) => statusOf(pool, allocated.get(pool.name) ?? 0));
}

function countSlice(pools: Map<string, Pool>, spec: ResourceSlice['spec']): void {
  const { name, generation = 0, resourceSliceCount = 0 } = spec.pool;
  const node = spec.nodeName ?? '';
  const devices = spec.devices?.length ?? 0;
  const known = pools.get(name);
  if (known && generation < known.generation) return;
  if (known && generation === known.generation) {
    known.slices++;
    known.devices += devices;
    if (known.node !== node) known.node = undefined;
    return;
  }
  pools.set(name, {
    driver: spec.driver,
    name,
    generation,
    expectedSlices: resourceSliceCount,
    slices: 1,
    devices,
    node,
  });
}

function statusOf(pool: Pool, allocated: number): PoolStatus {
  const { driver, name, generation, slices, expectedSlices, devices, node } = pool;
  const known = { driver, poolName: name, generation, ...(node ? { nodeName: node } : {}) };
  if (slices < expectedSlices) {
    const observed = `observed ${slices}/${expectedSlices} slices at generation ${generation}`;
    return { ...known, validationError: `pool ${driver}/${name} is incomplete: ${observed}`.slice(0, MESSAGE_LIMIT) };
  }
  return {
    ...known,
    resourceSliceCount: slices,
    totalDevices: devices,
    allocatedDevices: allocated,
    availableDevices: Math.max(0, devices - allocated),
    unavailableDevices: 0,
  };
}
