/** The CSI volumes that a pod needs and that a node has, by driver. */
import type { PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Listers } from '../../listers.ts';
import { claimVolumes, storageClassOf } from '../pod-claims.ts';

/** Volume handles by the name of the driver. */
export type VolumesByDriver = Map<string, Set<string>>;

interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
}

export function volumesOfPod(listers: Listers, pod: PodInfo): VolumesByDriver {
  const volumes: VolumesByDriver = new Map();
  addVolumesOf(listers, pod, volumes);
  return volumes;
}

/** The volumes of the pods on the node, and the volumes that are still attached to it. */
export function volumesOnNode(listers: Listers, node: NodeInfo): VolumesByDriver {
  const volumes: VolumesByDriver = new Map();
  for (const other of node.pods.values()) if (other.shape.volumes.length > 0) addVolumesOf(listers, other, volumes);
  for (const attachment of listers.list('storage.k8s.io/v1/volumeattachments')) {
    const { nodeName, source, attacher } = attachment.spec;
    if (nodeName !== node.name || source.persistentVolumeName === undefined) continue;
    const handle = listers.get('v1/persistentvolumes', source.persistentVolumeName)?.spec?.csi?.volumeHandle;
    if (handle !== undefined) add(volumes, { driver: attacher, handle });
  }
  return volumes;
}

function addVolumesOf(listers: Listers, pod: PodInfo, volumes: VolumesByDriver): void {
  for (const { name } of claimVolumes(pod)) {
    const claim = listers.get('v1/persistentvolumeclaims', `${pod.namespace}/${name}`);
    const volume = claim && volumeOf(listers, claim);
    if (volume !== undefined) add(volumes, volume);
  }
}

function add(volumes: VolumesByDriver, { driver, handle }: CsiVolume): void {
  const handles = volumes.get(driver);
  if (handles === undefined) volumes.set(driver, new Set([handle]));
  else handles.add(handle);
}

/** The volume of a claim. The key of the claim is used as the handle of a volume that is not provisioned yet. */
function volumeOf(listers: Listers, claim: PersistentVolumeClaim): CsiVolume | undefined {
  const volumeName = claim.spec?.volumeName ?? '';
  const volume = volumeName === '' ? undefined : listers.get('v1/persistentvolumes', volumeName);
  if (volume !== undefined) {
    const csi = volume.spec?.csi;
    return csi && { driver: csi.driver, handle: csi.volumeHandle };
  }
  const driver = listers.get('storage.k8s.io/v1/storageclasses', storageClassOf(claim))?.provisioner;
  const { namespace, name } = claim.metadata;
  return driver === undefined ? undefined : { driver, handle: `${namespace}/${name}` };
}
