/**
 * persistentvolume-expander-controller: reports in events which external resizer expands a claim's volume. For migrated
 * in-tree volumes it sets the annotation with the name of the CSI driver.
 */
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { keyOf, type Client } from '../../client/index.ts';
import { keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';

const RESIZER_ANNOTATION = 'volume.kubernetes.io/storage-resizer';

/** CSI drivers of migrated in-tree volumes, by the field of the volume's spec. */
const MIGRATED: Partial<Record<keyof PersistentVolumeSpec, { plugin: string; driver: string }>> = {
  awsElasticBlockStore: { plugin: 'kubernetes.io/aws-ebs', driver: 'ebs.csi.aws.com' },
  azureDisk: { plugin: 'kubernetes.io/azure-disk', driver: 'disk.csi.azure.com' },
  azureFile: { plugin: 'kubernetes.io/azure-file', driver: 'file.csi.azure.com' },
  cinder: { plugin: 'kubernetes.io/cinder', driver: 'cinder.csi.openstack.org' },
  gcePersistentDisk: { plugin: 'kubernetes.io/gce-pd', driver: 'pd.csi.storage.gke.io' },
  portworxVolume: { plugin: 'kubernetes.io/portworx-volume', driver: 'pxd.portworx.com' },
  vsphereVolume: { plugin: 'kubernetes.io/vsphere-volume', driver: 'csi.vsphere.vmware.com' },
};

export const persistentVolumeExpanderController: ControllerDescriptor = {
  name: 'persistentvolume-expander-controller',
  aliases: ['persistentvolume-expander'],
  eventSource: 'volume_expand',
  build(context) {
    const { informers, signal } = context;
    const claims = informers.informer('v1/persistentvolumeclaims');
    const volumes = informers.informer('v1/persistentvolumes');

    const reconcile = async (key: string, { client, recorder }: ControllerContext): Promise<void> => {
      const claim = claims.get(key);
      const volume = claim?.spec?.volumeName ? volumes.get(claim.spec.volumeName) : undefined;
      if (!claim || !volume || volume.spec?.claimRef?.uid !== claim.metadata.uid || !wantsMore(claim)) return;
      const migrated = migrationOf(volume);
      if (migrated) await nameResizer(client, claim, migrated.driver);
      const message = migrated
        ? `CSI migration enabled for ${migrated.plugin}; waiting for external resizer to expand the pvc`
        : 'waiting for an external controller to expand this PVC';
      recorder.event(claim, 'Normal', 'ExternalExpanding', message);
    };

    const nameResizer = async (client: Client, { metadata }: PersistentVolumeClaim, driver: string): Promise<void> => {
      if (metadata.annotations?.[RESIZER_ANNOTATION] === driver) return;
      const patch = { metadata: { uid: metadata.uid, annotations: { [RESIZER_ANNOTATION]: driver } } };
      await ignoreNotFound(() =>
        client
          .resource('v1/persistentvolumeclaims')
          .patch({ namespace: metadata.namespace, name: metadata.name! }, patch, {
            type: 'merge',
            subresource: 'status',
            signal,
          }),
      );
    };

    const { queue, run } = keyedLoop(context, 'volume_expand', 10, reconcile);
    claims.addHandler({
      onAdd: (claim) => queue.add(keyOf(claim)),
      onUpdate: (before, after) => {
        if (wantsMore(after) && (!wantsMore(before) || requestOf(before) !== requestOf(after))) queue.add(keyOf(after));
      },
    });
    // The claim may be seen before its volume.
    const enqueueClaim = ({ spec }: PersistentVolume): void => {
      if (spec?.claimRef?.uid) queue.add(`${spec.claimRef.namespace}/${spec.claimRef.name}`);
    };
    volumes.addHandler({
      onAdd: (volume, { initial }) => {
        if (!initial) enqueueClaim(volume);
      },
      onUpdate: (before, after) => {
        if (before.spec?.claimRef?.uid !== after.spec?.claimRef?.uid) enqueueClaim(after);
      },
    });
    return run;
  },
};

const migrationOf = ({ spec }: PersistentVolume) =>
  Object.entries(MIGRATED).find(([field]) => spec?.[field as keyof PersistentVolumeSpec])?.[1];

const requestOf = ({ spec }: PersistentVolumeClaim): string | undefined => spec?.resources?.requests?.['storage'];

function wantsMore(claim: PersistentVolumeClaim): boolean {
  const requested = requestOf(claim);
  const has = claim.status?.capacity?.['storage'];
  return (
    claim.status?.phase === 'Bound' &&
    requested !== undefined &&
    has !== undefined &&
    parseQuantity(requested).cmp(parseQuantity(has)) > 0
  );
}
