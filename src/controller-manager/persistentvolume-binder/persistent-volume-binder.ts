/**
 * persistentvolume-binder-controller: binds PersistentVolumeClaims and PersistentVolumes. Each side refers to the
 * other, so that a half-done binding is completed from either side after a crash.
 */
import { keyOf } from '../../client/index.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import {
  keyedController,
  KeySource,
  runTogether,
  type ControllerContext,
  type ControllerDescriptor,
} from '../controller.ts';
import { WrittenObjects } from '../written-objects.ts';
import { claimKeyOf } from './bind.ts';
import { claimsOfPod, PODS_BY_CLAIM } from './pods-by-claim.ts';
import { claimReconciler, volumeReconciler, type PersistentVolumeBinder } from './reconcile.ts';
import { CLAIMS_BY_VOLUME, claimWatches, VOLUMES_BY_CLAIM, volumeWatches } from './watches.ts';

export const persistentVolumeBinderController: ControllerDescriptor = {
  name: 'persistentvolume-binder-controller',
  aliases: ['persistentvolume-binder'],
  eventSource: 'persistentvolume-controller',
  build(context) {
    const { informers, recorder } = context;
    const byClaim = { [VOLUMES_BY_CLAIM]: (volume: Parameters<typeof claimKeyOf>[0]) => [claimKeyOf(volume) ?? ''] };
    const byVolume = { [CLAIMS_BY_VOLUME]: ({ spec }: { spec?: { volumeName?: string } }) => [spec?.volumeName ?? ''] };
    const volumes = informers.informer('v1/persistentvolumes', {}, byClaim);
    const claims = informers.informer('v1/persistentvolumeclaims', {}, byVolume);
    const classes = informers.informer('storage.k8s.io/v1/storageclasses');
    const pods = informers.informer('v1/pods', {}, { [PODS_BY_CLAIM]: claimsOfPod });
    const claimsToSync = new KeySource();
    const binder: PersistentVolumeBinder = {
      context,
      recorder,
      classes,
      lateClasses: context.metrics.counter({
        name: 'retroactive_storageclass_total',
        help: 'Attempts to give a PersistentVolumeClaim the default StorageClass after its creation.',
      }),
      lateClassFailures: context.metrics.counter({
        name: 'retroactive_storageclass_errors_total',
        help: 'Such attempts that failed.',
      }),
      claims: new WrittenObjects(claims),
      volumes: new WrittenObjects(volumes),
      podsUsing: (claim) =>
        pods.indexer.byIndex(PODS_BY_CLAIM, keyOf(claim)).filter((pod) => !pod.spec?.nodeName && !isPodTerminal(pod)),
      enqueueClaim: (key) => claimsToSync.add(key),
    };
    const parts = { volumes, claims, classes };
    const forWorker = (worker: ControllerContext): PersistentVolumeBinder => ({
      ...binder,
      context: worker,
      recorder: worker.recorder,
    });
    const watches = [...claimWatches(parts), claimsToSync.watch];
    return runTogether([
      keyedController(context, {
        queue: 'volumes',
        workers: 1,
        reconciler: (worker) => volumeReconciler(forWorker(worker)),
        watches: volumeWatches(parts),
      }),
      keyedController(context, {
        queue: 'claims',
        workers: 1,
        reconciler: (worker) => claimReconciler(forWorker(worker)),
        watches,
      }),
    ]);
  },
};
