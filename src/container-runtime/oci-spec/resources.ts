import type { LinuxContainerResources } from '../../cri/index.ts';
import type { OciResources } from './oci-types.ts';

export interface ResourceSupport {
  /** Whether memory and swap together can be limited. */
  readonly swapLimits: boolean;
}

/** Limits as runc takes them: in a spec, and to update a container. What is not given, or 0, is not limited. */
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
    // A limit of memory without a word on swap is one of both: what is limited is not to be moved to disk.
    swap: support.swapLimits ? memorySwapLimitInBytes || memoryLimitInBytes : undefined,
  });
  return {
    ...(Object.keys(cpu).length > 0 ? { cpu } : {}),
    ...(Object.keys(memory).length > 0 ? { memory } : {}),
    ...(hugepageLimits && hugepageLimits.length > 0
      ? { hugepageLimits: hugepageLimits.map(({ pageSize = '', limit = 0 }) => ({ pageSize, limit })) }
      : {}),
    ...(unified && Object.keys(unified).length > 0 ? { unified: { ...unified } } : {}),
  };
}

/** In proto3 an absent number is 0 and an absent text is empty. */
function withoutEmpty<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== 0 && value !== ''),
  ) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };
}

/** An update changes what it names and leaves the rest. */
export function mergedResources(
  current: LinuxContainerResources | undefined,
  change: LinuxContainerResources,
): LinuxContainerResources {
  const given = Object.entries(change).filter(([, value]) => value !== undefined && value !== 0 && value !== '');
  return { ...current, ...(Object.fromEntries(given) as LinuxContainerResources) };
}
