/** Provisions a directory for one claim, or deletes the directory of one released volume. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { isAlreadyExists, referenceTo, splitKey, type SharedInformer } from '../../client/index.ts';
import type { ControllerContext, Reconciler } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import {
  annotationOf,
  BIND_COMPLETED,
  classOfClaim,
  PROVISIONED_BY,
  SELECTED_NODE,
} from '../persistentvolume-binder/annotations.ts';

export const HOST_PATH_PROVISIONER = 'k8ts.dev/host-path';

interface HostPathProvisionerParts {
  readonly claims: SharedInformer<PersistentVolumeClaim>;
  readonly volumes: SharedInformer<PersistentVolume>;
  readonly classes: SharedInformer<StorageClass>;
}

interface VolumeDirectories {
  /** All volumes are directories of this one. */
  readonly directory: string;
  readonly remove: (directory: string) => Promise<void>;
}

export const removeFromDisk = (directory: string): Promise<void> => fs.rm(directory, { recursive: true, force: true });

export class HostPathProvisioner implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: HostPathProvisionerParts;
  readonly #directory: string;
  readonly #remove: VolumeDirectories['remove'];

  constructor(context: ControllerContext, parts: HostPathProvisionerParts, { directory, remove }: VolumeDirectories) {
    this.#context = context;
    this.#parts = parts;
    this.#directory = directory;
    this.#remove = remove;
  }

  /** Claims and volumes share a queue: only claims have a namespace. */
  async reconcile(key: string): Promise<void> {
    const { claims, volumes } = this.#parts;
    if (splitKey(key).namespace !== undefined) {
      const claim = claims.get(key);
      if (claim && needsVolume(claim)) await this.#provision(claim);
      return;
    }
    const volume = volumes.get(key);
    if (volume && annotationOf(volume, PROVISIONED_BY) === HOST_PATH_PROVISIONER) await this.#reclaim(volume);
  }

  /** The volume's name is derived from the claim's uid, so a retry finds the volume of the first attempt. */
  async #provision(claim: PersistentVolumeClaim): Promise<void> {
    const { client, recorder, signal } = this.#context;
    const storageClass = this.#parts.classes.get(classOfClaim(claim));
    if (storageClass?.provisioner !== HOST_PATH_PROVISIONER) return;
    if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && annotationOf(claim, SELECTED_NODE) === undefined)
      return;
    if (claim.spec?.volumeMode === 'Block' || claim.spec?.selector || claim.spec?.dataSource) {
      const message = `${HOST_PATH_PROVISIONER} supports neither block volumes, selectors nor data sources`;
      recorder.event(claim, 'Warning', 'ProvisioningFailed', message);
      return;
    }
    const volumeName = `pvc-${claim.metadata.uid ?? ''}`;
    if (this.#parts.volumes.get(volumeName)) return;
    try {
      const volume = this.#volumeFor(claim, storageClass, volumeName);
      await client.resource('v1/persistentvolumes').create(volume, { signal });
      recorder.event(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volumeName}`);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  #volumeFor(claim: PersistentVolumeClaim, storageClass: StorageClass, name: string): PersistentVolume {
    const directory = `${name}_${claim.metadata.namespace ?? ''}_${claim.metadata.name ?? ''}`;
    return {
      metadata: { name, annotations: { [PROVISIONED_BY]: HOST_PATH_PROVISIONER } },
      spec: {
        capacity: { storage: claim.spec?.resources?.requests?.['storage'] ?? '0' },
        accessModes: claim.spec?.accessModes,
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
        storageClassName: storageClass.metadata.name,
        mountOptions: storageClass.mountOptions,
        volumeMode: 'Filesystem',
        claimRef: referenceTo(claim),
        hostPath: { path: path.join(this.#directory, directory), type: 'DirectoryOrCreate' },
      },
    };
  }

  async #reclaim(volume: PersistentVolume): Promise<void> {
    const { metadata, spec, status } = volume;
    if (spec?.persistentVolumeReclaimPolicy !== 'Delete' || status?.phase !== 'Released' || metadata.deletionTimestamp)
      return;
    const { client, recorder, signal } = this.#context;
    const hostPath = spec.hostPath?.path ?? '';
    if (!isInside(this.#directory, hostPath)) {
      const message = `${hostPath} is not in ${this.#directory}`;
      recorder.event(volume, 'Warning', 'VolumeFailedDelete', message);
      return;
    }
    await this.#remove(hostPath);
    const resource = client.resource('v1/persistentvolumes');
    await ignoreNotFound(() =>
      resource.delete({ name: metadata.name ?? '' }, { preconditions: { uid: metadata.uid }, signal }),
    );
  }
}

const needsVolume = (claim: PersistentVolumeClaim): boolean =>
  !claim.metadata.deletionTimestamp && !claim.spec?.volumeName && annotationOf(claim, BIND_COMPLETED) === undefined;

const isInside = (directory: string, file: string): boolean => {
  const relative = path.relative(directory, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
};
