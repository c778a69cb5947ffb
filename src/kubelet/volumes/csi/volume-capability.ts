/** How a volume is to be used, in the words of the contract, and who gives its files to the pod's group. */
import type { PersistentVolume } from '../../../api/generated/core-v1.ts';
import type { CSIDriver } from '../../../api/generated/storage-v1.ts';
import type { AccessModeKind, NodeCapabilityType, VolumeCapability } from './csi-v1.generated.ts';

const MODES: Readonly<Record<string, AccessModeKind>> = {
  ReadWriteOnce: 'SINGLE_NODE_WRITER',
  ReadWriteOncePod: 'SINGLE_NODE_WRITER',
  ReadOnlyMany: 'MULTI_NODE_READER_ONLY',
  ReadWriteMany: 'MULTI_NODE_MULTI_WRITER',
};
/** Drivers that tell several writers of one node apart. */
const FINER_MODES: typeof MODES = {
  ...MODES,
  ReadWriteOnce: 'SINGLE_NODE_MULTI_WRITER',
  ReadWriteOncePod: 'SINGLE_NODE_SINGLE_WRITER',
};

export interface VolumeUse {
  readonly fsType: string | undefined;
  readonly volume: PersistentVolume | undefined;
  readonly block: boolean;
  readonly fsGroup: number | undefined;
  readonly capabilities: ReadonlySet<NodeCapabilityType>;
}

export function volumeCapability({ fsType = '', volume, block, fsGroup, capabilities }: VolumeUse): VolumeCapability {
  const modes = capabilities.has('SINGLE_NODE_MULTI_WRITER_CAPABILITY') ? FINER_MODES : MODES;
  const mode = modes[volume?.spec?.accessModes?.[0] ?? 'ReadWriteOnce'] ?? 'SINGLE_NODE_WRITER';
  if (block) return { block: {}, accessMode: { mode } };
  const group =
    fsGroup !== undefined && capabilities.has('VOLUME_MOUNT_GROUP') ? { volumeMountGroup: String(fsGroup) } : {};
  return { mount: { fsType, mountFlags: volume?.spec?.mountOptions ?? [], ...group }, accessMode: { mode } };
}

/** Whether the kubelet gives the files to the pod's group, by what the driver says of itself. */
export function kubeletSetsOwnership(
  { fsType = '', volume, block, capabilities }: VolumeUse,
  driver: CSIDriver | undefined,
): boolean {
  if (block || capabilities.has('VOLUME_MOUNT_GROUP')) return false;
  switch (driver?.spec.fsGroupPolicy ?? 'ReadWriteOnceWithFSType') {
    case 'None':
      return false;
    case 'File':
      return true;
    default:
      return (
        fsType !== '' &&
        (volume?.spec?.accessModes ?? []).some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod')
      );
  }
}
