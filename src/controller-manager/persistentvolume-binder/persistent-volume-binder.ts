/**
 * persistentvolume-binder-controller: brings claims and volumes together. Both sides refer to each other; whichever half
 * of a binding a crash has left is found again from either side.
 */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import { isConflict, isNotFound, keyOf } from '../../client/index.ts';
import { runWorkers, WorkQueue } from '../../kernel/index.ts';
import { enqueueOnChange, type ControllerDescriptor } from '../controller.ts';
import { claimKeyOf } from './bind.ts';
import { classOfClaim, classOfVolume } from './annotations.ts';
import { WrittenObjects } from '../written-objects.ts';
import { syncClaim, type ClaimBinder } from './sync-claim.ts';
import { syncVolume, type VolumeBinder } from './sync-volume.ts';

const BY_CLAIM = 'claimRef';
const BY_VOLUME = 'volumeName';
const PODS_BY_CLAIM = 'claims';

export const persistentVolumeBinderController: ControllerDescriptor = {
  name: 'persistentvolume-binder-controller',
  aliases: ['persistentvolume-binder'],
  eventSource: 'persistentvolume-controller',
  build(context) {
    const { informers, clock, metrics, logger, signal, recorder } = context;
    const volumeInformer = informers.informer('v1/persistentvolumes', {}, { [BY_CLAIM]: (volume) => [claimKeyOf(volume) ?? ''] });
    const claimInformer = informers.informer('v1/persistentvolumeclaims', {}, { [BY_VOLUME]: (claim) => [claim.spec?.volumeName ?? ''] });
    const classes = informers.informer('storage.k8s.io/v1/storageclasses');
    const pods = informers.informer('v1/pods', {}, { [PODS_BY_CLAIM]: claimsOfPod });

    const volumeQueue = new WorkQueue<string>({ name: 'volumes', clock, metrics });
    const claimQueue = new WorkQueue<string>({ name: 'claims', clock, metrics });
    const binder: ClaimBinder & VolumeBinder = {
      context,
      recorder,
      classes,
      claims: new WrittenObjects(claimInformer),
      volumes: new WrittenObjects(volumeInformer),
      podsUsing: (claim) => pods.indexer.byIndex(PODS_BY_CLAIM, keyOf(claim)).filter((pod) => !pod.spec?.nodeName && !isPodTerminal(pod)),
      enqueueClaim: (key) => claimQueue.add(key),
    };

    /** What is gone needs nothing; the event that tells so brings the other side here. */
    const tolerant = (work: (key: string) => Promise<void>) => async (key: string): Promise<void> => {
      try {
        await work(key);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };
    const reconcileVolume = tolerant(async (key) => {
      const volume = binder.volumes.get(key);
      if (volume) await syncVolume(binder, volume);
    });
    const reconcileClaim = tolerant(async (key) => {
      const claim = binder.claims.get(key);
      if (claim) await syncClaim(binder, claim);
    });

    const enqueueWaiting = (isFor: (claim: PersistentVolumeClaim) => boolean): void => {
      for (const claim of claimInformer.list()) if (claim.status?.phase === 'Pending' && isFor(claim)) claimQueue.add(keyOf(claim));
    };
    const volumeChanged = (volume: PersistentVolume): void => {
      volumeQueue.add(keyOf(volume));
      const claimed = claimKeyOf(volume);
      if (claimed !== undefined) claimQueue.add(claimed);
      for (const key of claimInformer.indexer.keysByIndex(BY_VOLUME, keyOf(volume))) claimQueue.add(key);
    };
    volumeInformer.addHandler({
      onAdd: volumeChanged,
      onUpdate: (before, after) => {
        volumeChanged(after);
        if (after.status?.phase === 'Available' && before.status?.phase !== 'Available') enqueueWaiting((claim) => classOfClaim(claim) === classOfVolume(after));
      },
      onDelete: volumeChanged,
    });
    const claimChanged = (claim: PersistentVolumeClaim): void => {
      claimQueue.add(keyOf(claim));
      for (const key of volumeInformer.indexer.keysByIndex(BY_CLAIM, keyOf(claim))) volumeQueue.add(key);
      if (claim.spec?.volumeName) volumeQueue.add(claim.spec.volumeName);
    };
    claimInformer.addHandler({ onAdd: claimChanged, onUpdate: (_, after) => claimChanged(after), onDelete: claimChanged });
    enqueueOnChange(classes, claimQueue, (storageClass) => {
      enqueueWaiting((claim) => classOfClaim(claim) === '' || classOfClaim(claim) === storageClass.metadata.name);
      return undefined;
    });

    return async () => {
      await Promise.all([
        runWorkers({ queue: volumeQueue, workers: 1, handle: reconcileVolume, isExpected: isConflict, signal, logger }),
        runWorkers({ queue: claimQueue, workers: 1, handle: reconcileClaim, isExpected: isConflict, signal, logger }),
      ]);
    };
  },
};

export function claimsOfPod(pod: Pod): string[] {
  const { namespace = '', name = '' } = pod.metadata;
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim) return [`${namespace}/${volume.persistentVolumeClaim.claimName}`];
    return volume.ephemeral ? [`${namespace}/${name}-${volume.name}`] : [];
  });
}
