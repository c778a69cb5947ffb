/** What a driver tells of a volume, in the kubelet's words. */
import type { VolumeUsage } from './csi-drivers.ts';
import type { NodeCapabilityType, NodeGetVolumeStatsResponse, UsageUnit } from './csi-v1.generated.ts';

/** What the driver leaves out counts as nothing. */
export function usageOf(
  { usage = [], volumeCondition }: NodeGetVolumeStatsResponse,
  capabilities: ReadonlySet<NodeCapabilityType>,
): VolumeUsage | undefined {
  const watches = capabilities.has('VOLUME_CONDITION') && volumeCondition !== undefined;
  if (usage.length === 0 && !watches) return undefined;
  const of = (unit: UsageUnit): { available: number; total: number; used: number } => ({
    available: 0,
    total: 0,
    used: 0,
    ...usage.findLast((one) => one.unit === unit),
  });
  const [bytes, inodes] = [of('BYTES'), of('INODES')];
  return {
    capacityBytes: bytes.total,
    availableBytes: bytes.available,
    usedBytes: bytes.used,
    inodes: inodes.total,
    inodesFree: inodes.available,
    inodesUsed: inodes.used,
    ...(watches ? { abnormal: volumeCondition.abnormal === true } : {}),
  };
}
