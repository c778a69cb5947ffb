import type { PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import type { Handle } from '../../framework/handle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { skip, unschedulable } from '../../framework/status.ts';
import { claimSignature, claimVolumes, storageClassOf } from '../pod-claims.ts';

const TOO_MANY = unschedulable('node(s) exceed max volume count');

/** Nodes can hold so many volumes of a CSI driver. */
export function nodeVolumeLimits({ listers }: Handle): Plugin {
  /** The driver and handle of a claim's volume; of one that is not provisioned yet, the claim stands for it. */
  const volumeOf = (claim: PersistentVolumeClaim): { driver: string; handle: string } | undefined => {
    const volumeName = claim.spec?.volumeName ?? '';
    const volume = volumeName === '' ? undefined : listers.get('v1/persistentvolumes', volumeName);
    if (volume !== undefined) {
      const csi = volume.spec?.csi;
      return csi && { driver: csi.driver, handle: csi.volumeHandle };
    }
    const provisioner = listers.get('storage.k8s.io/v1/storageclasses', storageClassOf(claim))?.provisioner;
    return provisioner === undefined ? undefined : { driver: provisioner, handle: `${claim.metadata.namespace}/${claim.metadata.name}` };
  };

  const volumesOf = (pod: PodInfo, into: Map<string, Set<string>>): void => {
    for (const { name } of claimVolumes(pod)) {
      const claim = listers.get('v1/persistentvolumeclaims', `${pod.namespace}/${name}`);
      const volume = claim && volumeOf(claim);
      if (volume === undefined) continue;
      let handles = into.get(volume.driver);
      if (handles === undefined) into.set(volume.driver, (handles = new Set()));
      handles.add(volume.handle);
    }
  };

  const attached = (node: NodeInfo): Map<string, Set<string>> => {
    const volumes = new Map<string, Set<string>>();
    for (const other of node.pods.values()) if (other.shape.volumes.length > 0) volumesOf(other, volumes);
    for (const attachment of listers.list('storage.k8s.io/v1/volumeattachments')) {
      const { nodeName, source, attacher } = attachment.spec;
      if (nodeName !== node.name || source.persistentVolumeName === undefined) continue;
      const handle = listers.get('v1/persistentvolumes', source.persistentVolumeName)?.spec?.csi?.volumeHandle;
      if (handle !== undefined) volumes.set(attacher, (volumes.get(attacher) ?? new Set()).add(handle));
    }
    return volumes;
  };

  return {
    name: 'NodeVolumeLimits',
    signature: claimSignature,
    preFilter: (_state, pod) => (claimVolumes(pod).length === 0 ? { status: skip() } : undefined),
    bindFilter(_state, pod) {
      const wanted = new Map<string, Set<string>>();
      volumesOf(pod, wanted);
      return (node) => {
        if (wanted.size === 0) return undefined;
        const limits = listers.get('storage.k8s.io/v1/csinodes', node.name)?.spec?.drivers ?? [];
        const limited = limits.filter((driver) => driver.allocatable?.count !== undefined && wanted.has(driver.name));
        if (limited.length === 0) return undefined;
        const present = attached(node);
        for (const { name, allocatable } of limited) {
          const there = present.get(name) ?? new Set<string>();
          const more = [...wanted.get(name)!].filter((handle) => !there.has(handle)).length;
          if (more > 0 && there.size + more > allocatable!.count!) return TOO_MANY;
        }
        return undefined;
      };
    },
    eventsToRegister: () => [
      { resource: 'CSINode', action: Action.Add | ANY_UPDATE },
      { resource: 'AssignedPod', action: Action.Delete },
      { resource: 'PersistentVolumeClaim', action: Action.Add | ANY_UPDATE },
      { resource: 'VolumeAttachment', action: Action.Delete },
      { resource: 'CSIDriver', action: ANY_UPDATE },
    ],
  };
}
