/**
 * host-path-provisioner: makes volumes that are directories of this machine, for claims of the StorageClasses that name
 * it as their provisioner. Who sets the cluster up makes such a class, as `STANDARD_CLASS` is one: the controller acts
 * as the ServiceAccount of the volume binder, which may not. Off unless the configuration names a directory.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { isAlreadyExists, isNotFound, keyOf, referenceTo, splitKey } from '../../client/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerDescriptor } from '../controller.ts';
import {
  annotationOf,
  BIND_COMPLETED,
  classOfClaim,
  IS_DEFAULT_CLASS,
  PROVISIONED_BY,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
} from '../persistentvolume-binder/annotations.ts';

export const HOST_PATH_PROVISIONER = 'k8ts.dev/host-path';

/** The default class of a cluster whose volumes are directories of the machine. */
export const STANDARD_CLASS: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { [IS_DEFAULT_CLASS]: 'true' } },
  provisioner: HOST_PATH_PROVISIONER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
};

export const hostPathProvisionerController: ControllerDescriptor = {
  name: 'host-path-provisioner',
  eventSource: HOST_PATH_PROVISIONER,
  build(context) {
    const { client, informers, recorder, config, signal } = context;
    const directory = config.hostPathProvisionerDirectory;
    if (directory === undefined) return () => Promise.resolve();
    const claims = informers.informer('v1/persistentvolumeclaims');
    const volumes = informers.informer('v1/persistentvolumes');
    const classes = informers.informer('storage.k8s.io/v1/storageclasses');

    /** The name comes from the claim's uid, so a second try finds what the first has made. */
    const provision = async (claim: PersistentVolumeClaim): Promise<void> => {
      const storageClass = classes.get(classOfClaim(claim));
      if (storageClass?.provisioner !== HOST_PATH_PROVISIONER) return;
      if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && annotationOf(claim, SELECTED_NODE) === undefined)
        return;
      const { namespace = '', name = '', uid = '' } = claim.metadata;
      if (claim.spec?.volumeMode === 'Block' || claim.spec?.selector || claim.spec?.dataSource) {
        recorder.event(
          claim,
          'Warning',
          'ProvisioningFailed',
          `${HOST_PATH_PROVISIONER} makes file systems only, without selectors and data sources`,
        );
        return;
      }
      const volumeName = `pvc-${uid}`;
      if (volumes.get(volumeName)) return;
      const volume: PersistentVolume = {
        metadata: { name: volumeName, annotations: { [PROVISIONED_BY]: HOST_PATH_PROVISIONER } },
        spec: {
          capacity: { storage: claim.spec?.resources?.requests?.['storage'] ?? '0' },
          accessModes: claim.spec?.accessModes,
          persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
          storageClassName: storageClass.metadata.name,
          mountOptions: storageClass.mountOptions,
          volumeMode: 'Filesystem',
          claimRef: referenceTo(claim),
          hostPath: { path: path.join(directory, `${volumeName}_${namespace}_${name}`), type: 'DirectoryOrCreate' },
        },
      };
      try {
        await client.resource('v1/persistentvolumes').create(volume, { signal });
        recorder.event(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volumeName}`);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    };

    const reclaim = async (volume: PersistentVolume): Promise<void> => {
      const place = volume.spec?.hostPath?.path ?? '';
      if (
        volume.spec?.persistentVolumeReclaimPolicy !== 'Delete' ||
        volume.status?.phase !== 'Released' ||
        volume.metadata.deletionTimestamp
      )
        return;
      if (!isInside(directory, place)) {
        recorder.event(volume, 'Warning', 'VolumeFailedDelete', `${place} is not in ${directory}`);
        return;
      }
      await fs.rm(place, { recursive: true, force: true });
      await client
        .resource('v1/persistentvolumes')
        .delete({ name: volume.metadata.name ?? '' }, { preconditions: { uid: volume.metadata.uid }, signal })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    };

    /** Claims and volumes share a queue: only claims have a namespace. */
    const reconcile = async (key: string): Promise<void> => {
      if (splitKey(key).namespace !== undefined) {
        const claim = claims.get(key);
        if (
          claim &&
          !claim.metadata.deletionTimestamp &&
          !claim.spec?.volumeName &&
          annotationOf(claim, BIND_COMPLETED) === undefined
        )
          await provision(claim);
        return;
      }
      const volume = volumes.get(key);
      if (volume && annotationOf(volume, PROVISIONED_BY) === HOST_PATH_PROVISIONER) await reclaim(volume);
    };

    const { queue, run } = keyedLoop(context, 'host_path_provisioner', 1, reconcile);
    enqueueOnChange(claims, queue, (claim) =>
      annotationOf(claim, STORAGE_PROVISIONER) === HOST_PATH_PROVISIONER ? keyOf(claim) : undefined,
    );
    enqueueOnChange(volumes, queue, keyOf);
    return run;
  },
};

const isInside = (directory: string, place: string): boolean => {
  const relative = path.relative(directory, place);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
};
