/** Which volumes have to be attached where. */
import { createHash } from 'node:crypto';
import type { Node, PersistentVolume, Pod } from '../../api/generated/core-v1.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';

/** A node whose kubelet leaves attaching to us. */
export const isManaged = ({ metadata }: Node): boolean =>
  metadata.annotations?.['volumes.kubernetes.io/controller-managed-attach-detach'] === 'true';

/** As CSI drivers' own components compute it, so that both speak of the same attachment. */
export function attachmentName(volume: PersistentVolume, node: string): string {
  const { driver = '', volumeHandle = '' } = volume.spec?.csi ?? {};
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex')}`;
}

/** Attachments that others make for purposes of their own have other names. */
export function isOurs(
  { metadata: { name = '' }, spec }: VolumeAttachment,
  volume: PersistentVolume | undefined,
): boolean {
  return volume?.spec?.csi ? name === attachmentName(volume, spec.nodeName) : /^csi-[0-9a-f]{64}$/.test(name);
}

/** The name by which a node's status lists a volume. */
export const uniqueName = ({ spec }: PersistentVolume): string =>
  `kubernetes.io/csi/${spec?.csi?.driver}^${spec?.csi?.volumeHandle}`;

export const usesVolumes = (pod: Pod): boolean => !isPodTerminal(pod);

/** Whether the volume may be on one node only at a time. */
export const isExclusive = ({ spec }: PersistentVolume): boolean =>
  !(spec?.accessModes ?? []).some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');

export const volumeOf = (attachment: VolumeAttachment): string => attachment.spec.source.persistentVolumeName ?? '';
