/** Names of VolumeAttachments, and which volumes this controller attaches. */
import { createHash } from 'node:crypto';
import type { Node, PersistentVolume, Pod } from '../../api/generated/core-v1.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';

/** Whether the kubelet leaves attaching to this controller. */
export const isManaged = ({ metadata }: Node): boolean =>
  metadata.annotations?.['volumes.kubernetes.io/controller-managed-attach-detach'] === 'true';

/** The name that the CSI plugin of the kubelet computes, too. */
export function attachmentName(volume: PersistentVolume, node: string): string {
  const { driver = '', volumeHandle = '' } = volume.spec?.csi ?? {};
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex')}`;
}

/** Attachments that other components create have other names. */
export function isOurs(
  { metadata: { name = '' }, spec }: VolumeAttachment,
  volume: PersistentVolume | undefined,
): boolean {
  return volume?.spec?.csi ? name === attachmentName(volume, spec.nodeName) : /^csi-[0-9a-f]{64}$/.test(name);
}

/** The name of the volume in a node's status. */
export const uniqueName = ({ spec }: PersistentVolume): string =>
  `kubernetes.io/csi/${spec?.csi?.driver}^${spec?.csi?.volumeHandle}`;

export const usesVolumes = (pod: Pod): boolean => !isPodTerminal(pod);

/** Whether the volume may be on one node only at a time. */
export const isExclusive = ({ spec }: PersistentVolume): boolean =>
  !(spec?.accessModes ?? []).some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');

export const volumeOf = (attachment: VolumeAttachment): string => attachment.spec.source.persistentVolumeName ?? '';
