/** Syncs one PersistentVolume, or one PersistentVolumeClaim. */
import type { Reconciler } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { syncClaim, type ClaimBinder } from './sync-claim.ts';
import { syncVolume, type VolumeBinder } from './sync-volume.ts';

export type PersistentVolumeBinder = ClaimBinder & VolumeBinder;

/** A write to a deleted object is no failure: the event of its deletion enqueues the other side. */
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
