/**
 * Converts ResourceRequirements to cgroup values (CPU shares, quota, memory limit) and back, and detects a pending
 * resize.
 */
import type { Container, EphemeralContainer, Pod, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { ownValue, parseQuantity, Quantity } from '../../base/index.ts';
import type { LinuxContainerResources } from '../../cri/index.ts';
import type { ObservedContainer } from '../runtime/observe-pod.ts';

const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const SHARES_PER_CPU = 1024;
const MIN_QUOTA = 1000;
/** The smallest effective limit: MIN_QUOTA of a period of 100 ms. */
const MIN_MILLI_CPU_LIMIT = 10;

export function milliCpuToShares(milliCpu: number): number {
  if (milliCpu === 0) return MIN_SHARES;
  return Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.floor((milliCpu * SHARES_PER_CPU) / 1000)));
}

/** The inverse of `milliCpuToShares`, rounded up. */
export const sharesToMilliCpu = (shares: number): number => Math.ceil((shares * 1000) / SHARES_PER_CPU);

/** The kernel has nothing below the minimum: a value of the spec that is below it, too, is what is in effect. */
export const isLargerThanMinimum = (
  kind: 'request' | 'limit',
  actualMilli: number,
  wanted: string | undefined,
): boolean => Math.max(actualMilli, milli(wanted)) > (kind === 'limit' ? MIN_MILLI_CPU_LIMIT : MIN_SHARES);

/** CFS quota in microseconds per period; 0 for no limit. */
export function milliCpuToQuota(milliCpu: number, periodMicroseconds: number): number {
  if (milliCpu === 0) return 0;
  return Math.max(MIN_QUOTA, Math.floor((milliCpu * periodMicroseconds) / 1000));
}

export const milli = (quantity: string | undefined): number =>
  quantity === undefined ? 0 : parseQuantity(quantity).milliValue();
export const bytes = (quantity: string | undefined): number =>
  quantity === undefined ? 0 : parseQuantity(quantity).value();

export interface ResourceSettings {
  readonly cpuCfsQuota: boolean;
  readonly cpuPeriodMicroseconds: number;
  /** 0 or less for no limit. */
  readonly podPidsLimit?: number;
}

export function linuxResources(
  { limits = {}, requests = {} }: ResourceRequirements,
  settings: ResourceSettings,
): LinuxContainerResources {
  const cpuRequest = requests['cpu'] ?? limits['cpu'];
  const quota = settings.cpuCfsQuota ? milliCpuToQuota(milli(limits['cpu']), settings.cpuPeriodMicroseconds) : 0;
  const hugepageLimits = Object.entries(limits)
    .filter(([name]) => name.startsWith('hugepages-'))
    .map(([name, limit]) => ({ pageSize: hugePageName(name.slice('hugepages-'.length)), limit: bytes(limit) }));
  return {
    cpuShares: milliCpuToShares(milli(cpuRequest)),
    ...(quota > 0 ? { cpuQuota: quota, cpuPeriod: settings.cpuPeriodMicroseconds } : {}),
    ...(bytes(limits['memory']) > 0 ? { memoryLimitInBytes: bytes(limits['memory']) } : {}),
    ...(hugepageLimits.length > 0 ? { hugepageLimits } : {}),
  };
}

/** The page size `2Mi` of the API is `2MB` in cgroups. */
const hugePageName = (size: string): string => size.replace(/i$/, 'B');

/** The resources of the container as the runtime reports them; those that it does not report are as in the spec. */
export function actualResources(
  container: Pick<Container | EphemeralContainer, 'resources'>,
  { status, state }: ObservedContainer,
): ResourceRequirements {
  const wanted = container.resources ?? {};
  const linux = state === 'running' ? status.resources?.linux : undefined;
  const limits = { ...wanted.limits };
  const requests = { ...wanted.requests };
  if (linux !== undefined) {
    const { cpuQuota = 0, cpuPeriod = 0 } = linux;
    if (limits['cpu'] !== undefined && cpuQuota > 0 && cpuPeriod > 0) {
      const actual = Math.ceil((cpuQuota * 1000) / cpuPeriod);
      if (isLargerThanMinimum('limit', actual, limits['cpu']))
        limits['cpu'] = closest(limits['cpu'], actual, milli, (n) => Quantity.ofMilli(n));
    }
    if (limits['memory'] !== undefined && linux.memoryLimitInBytes)
      limits['memory'] = closest(limits['memory'], linux.memoryLimitInBytes, bytes, (n) => Quantity.of(n, 'BinarySI'));
    if (
      requests['cpu'] !== undefined &&
      linux.cpuShares &&
      milliCpuToShares(milli(requests['cpu'])) !== linux.cpuShares
    ) {
      requests['cpu'] = Quantity.ofMilli(sharesToMilliCpu(linux.cpuShares)).toString();
    }
  }
  return {
    ...(wanted.limits === undefined ? {} : { limits }),
    ...(wanted.requests === undefined ? {} : { requests }),
    ...(wanted.claims === undefined ? {} : { claims: wanted.claims }),
  };
}

/** Keeps the notation of the spec when the value is the same. */
function closest(text: string, actual: number, read: (text: string) => number, write: (n: number) => Quantity): string {
  return read(text) === actual ? text : write(actual).toString();
}

/** The container's resources: CPU and memory that it does not limit itself have the limits of its pod. */
export function resourcesInPod(
  { spec }: Pick<Pod, 'spec'>,
  { resources = {} }: Pick<Container | EphemeralContainer, 'resources'>,
): ResourceRequirements {
  const podLimits = spec?.resources?.limits ?? {};
  const inherited = Object.entries(podLimits).filter(
    ([name]) =>
      (name === 'cpu' || name === 'memory') && parseQuantity(ownValue(resources.limits, name) ?? '0').sign() === 0,
  );
  return inherited.length === 0
    ? resources
    : { ...resources, limits: { ...resources.limits, ...Object.fromEntries(inherited) } };
}
