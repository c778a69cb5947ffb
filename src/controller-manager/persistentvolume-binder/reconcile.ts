/** Syncs one PersistentVolume, or one PersistentVolumeClaim. */
import type { Reconciler } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { syncClaim, type ClaimBinder } from './sync-claim.ts';
import { syncVolume, type VolumeBinder } from './sync-volume.ts';

export type PersistentVolumeBinder = ClaimBinder & VolumeBinder;

/** A write to an object that is gone is no failure: the event of its deletion brings the other side here. */
export const volumeReconciler = (binder: PersistentVolumeBinder): Reconciler => ({
  async reconcile(key) {
    const volume = binder.volumes.get(key);
    if (volume) await ignoreNotFound(() => syncVolume(binder, volume));
  },
});

export const claimReconciler = (binder: PersistentVolumeBinder): Reconciler => ({
  async reconcile(key) {
    const claim = binder.claims.get(key);
    if (claim) await ignoreNotFound(() => syncClaim(binder, claim));
  },
});
