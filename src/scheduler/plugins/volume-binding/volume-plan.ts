import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import { SELECTED_NODE } from './provisioning.ts';

/** The volumes to bind and to provision for a pod's claims on one node. */
export interface VolumePlan {
  readonly bindings: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  /** Claims to provision, and the free space that the driver publishes; undefined when it does not. */
  readonly provisions: readonly { readonly claim: PersistentVolumeClaim; readonly freeBytes: number | undefined }[];
}

/** The volume with claimRef set, as the volume binder would set it. */
export function claimedBy(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const annotations = volume.spec?.claimRef
    ? volume.metadata.annotations
    : { ...volume.metadata.annotations, 'pv.kubernetes.io/bound-by-controller': 'yes' };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(annotations ? { annotations } : {}) },
    spec: {
      ...volume.spec,
      claimRef: {
        ...volume.spec?.claimRef,
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        name,
        namespace,
        uid,
        resourceVersion,
      },
    },
  };
}

export function provisionedOn(claim: PersistentVolumeClaim, nodeName: string): PersistentVolumeClaim {
  return {
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [SELECTED_NODE]: nodeName } },
  };
}
