/** CPU, memory and other limits of a container in the OCI spec. */
import type { LinuxContainerResources } from '../../cri/index.ts';
import type { OciResources } from './oci-types.ts';

export interface ResourceSupport {
  /** Whether the kernel can limit memory plus swap. */
  readonly swapLimits: boolean;
  /** Whether the hugetlb controller is there. */
  readonly hugePageLimits: boolean;
}

/** CRI resources as OCI resources, for a spec and for `runc update`. Absent or 0 means unlimited. */
export function ociResources(resources: LinuxContainerResources | undefined, support: ResourceSupport): OciResources {
  if (resources === undefined) return {};
  const {
    cpuShares,
    cpuQuota,
    cpuPeriod,
    cpusetCpus,
    cpusetMems,
    memoryLimitInBytes,
    memorySwapLimitInBytes,
    hugepageLimits,
    unified,
  } = resources;
  const cpu = withoutEmpty({
    shares: cpuShares,
    quota: cpuQuota,
    period: cpuPeriod,
    cpus: cpusetCpus,
    mems: cpusetMems,
  });
  const memory = withoutEmpty({
    limit: memoryLimitInBytes,
    // Without a swap limit, memory plus swap get the memory limit, so that the container cannot swap.
    swap: support.swapLimits ? memorySwapLimitInBytes || memoryLimitInBytes : undefined,
  });
  return {
    ...(Object.keys(cpu).length > 0 ? { cpu } : {}),
    ...(Object.keys(memory).length > 0 ? { memory } : {}),
    // A kubelet sends limits of 0 for every size of pages. Without the controller runc would refuse the container for them.
    ...(hugepageLimits && hugepageLimits.length > 0 && support.hugePageLimits
      ? { hugepageLimits: hugepageLimits.map(({ pageSize = '', limit = 0 }) => ({ pageSize, limit })) }
      : {}),
    ...(unified && Object.keys(unified).length > 0 ? { unified: { ...unified } } : {}),
  };
}

/** In proto3 an absent number is 0 and an absent string is empty. */
function withoutEmpty<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== 0 && value !== ''),
  ) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };
}

/** An update changes only the fields that it sets. */
export function mergedResources(
  current: LinuxContainerResources | undefined,
  change: LinuxContainerResources,
): LinuxContainerResources {
  const changes = Object.entries(change).filter(([, value]) => value !== undefined && value !== 0 && value !== '');
  return { ...current, ...(Object.fromEntries(changes) as LinuxContainerResources) };
}
