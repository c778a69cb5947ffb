/**
 * host-path-provisioner: provisions volumes that are directories of this machine, for claims whose StorageClass names
 * it as provisioner. `STANDARD_CLASS` is such a class; the installer of the cluster creates it, because the controller
 * acts as the ServiceAccount of the volume binder, which may not. Off unless the configuration names a directory.
 */
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { keyOf } from '../../client/index.ts';
import { keyedController, keysOnChange, watch, type ControllerDescriptor } from '../controller.ts';
import { annotationOf, IS_DEFAULT_CLASS, STORAGE_PROVISIONER } from '../persistentvolume-binder/annotations.ts';
import { HOST_PATH_PROVISIONER, HostPathProvisioner, removeFromDisk } from './reconcile.ts';

/** The default class of a cluster whose volumes are directories of the machine. */
export const STANDARD_CLASS: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { [IS_DEFAULT_CLASS]: 'true' } },
  provisioner: HOST_PATH_PROVISIONER,
  reclaimPolicy: 'Delete',
  /** So that a Pod's constraints count before its claims have volumes, as with kind, k3s and clouds. */
  volumeBindingMode: 'WaitForFirstConsumer',
};

export const hostPathProvisionerController: ControllerDescriptor = {
  name: 'host-path-provisioner',
  eventSource: HOST_PATH_PROVISIONER,
  build(context) {
    const { informers, config } = context;
    const { hostPathProvisionerDirectory: directory, removeVolumeDirectory: remove = removeFromDisk } = config;
    if (directory === undefined) return () => Promise.resolve();
    const claims = informers.informer('v1/persistentvolumeclaims');
    const volumes = informers.informer('v1/persistentvolumes');
    const classes = informers.informer('storage.k8s.io/v1/storageclasses');
    return keyedController(context, {
      queue: 'host_path_provisioner',
      workers: 1,
      reconciler: (worker) => new HostPathProvisioner(worker, { claims, volumes, classes }, { directory, remove }),
      watches: [
        watch(
          claims,
          keysOnChange((claim) =>
            annotationOf(claim, STORAGE_PROVISIONER) === HOST_PATH_PROVISIONER ? [keyOf(claim)] : [],
          ),
        ),
        watch(
          volumes,
          keysOnChange((volume) => [keyOf(volume)]),
        ),
      ],
    });
  },
};
