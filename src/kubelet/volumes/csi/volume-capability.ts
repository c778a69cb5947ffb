/** The CSI VolumeCapability of a volume, and whether the kubelet must set its fsGroup. */
import type { PersistentVolume } from '../../../api/generated/core-v1.ts';
import type { CSIDriver } from '../../../api/generated/storage-v1.ts';
import type { AccessModeKind, NodeCapabilityType, VolumeCapability } from './csi-v1.generated.ts';

const MODES: Readonly<Record<string, AccessModeKind>> = {
  ReadWriteOnce: 'SINGLE_NODE_WRITER',
  ReadWriteOncePod: 'SINGLE_NODE_WRITER',
  ReadOnlyMany: 'MULTI_NODE_READER_ONLY',
  ReadWriteMany: 'MULTI_NODE_MULTI_WRITER',
};
/** For drivers with SINGLE_NODE_MULTI_WRITER. */
const MULTI_WRITER_MODES: typeof MODES = {
  ...MODES,
  ReadWriteOnce: 'SINGLE_NODE_MULTI_WRITER',
  ReadWriteOncePod: 'SINGLE_NODE_SINGLE_WRITER',
};

interface VolumeUse {
  readonly fsType: string | undefined;
  readonly volume: PersistentVolume | undefined;
  readonly block: boolean;
  readonly fsGroup: number | undefined;
  readonly capabilities: ReadonlySet<NodeCapabilityType>;
}

export function volumeCapability({ fsType = '', volume, block, fsGroup, capabilities }: VolumeUse): VolumeCapability {
  const modes = capabilities.has('SINGLE_NODE_MULTI_WRITER_CAPABILITY') ? MULTI_WRITER_MODES : MODES;
  const mode = modes[volume?.spec?.accessModes?.[0] ?? 'ReadWriteOnce'] ?? 'SINGLE_NODE_WRITER';
  if (block) return { block: {}, accessMode: { mode } };
  const group =
    fsGroup !== undefined && capabilities.has('VOLUME_MOUNT_GROUP') ? { volumeMountGroup: String(fsGroup) } : {};
  return { mount: { fsType, mountFlags: volume?.spec?.mountOptions ?? [], ...group }, accessMode: { mode } };
}

/** Whether the kubelet must set the fsGroup of the files, by the fsGroupPolicy of the CSIDriver. */
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
