/** Syncs one PersistentVolume: its phase is Available, Bound, Released or Failed. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { isNotFound } from '../../client/index.ts';
import { annotationOf, PROVISIONED_BY } from './annotations.ts';
import { claimKeyOf, setVolumePhase, unbindVolume, type Binder } from './bind.ts';
import { sameMode } from './find-volume.ts';

export interface VolumeBinder extends Binder {
  enqueueClaim(key: string): void;
}

export async function syncVolume(binder: VolumeBinder, volume: PersistentVolume): Promise<void> {
  const { claimRef } = volume.spec ?? {};
  if (!claimRef?.uid) {
    await setVolumePhase(binder, volume, 'Available');
    return;
  }
  const claim = await claimOf(binder, volume);
  if (!claim) return reclaim(binder, await release(binder, volume));
  const { volumeName } = claim.spec ?? {};
  if (!volumeName) {
    if (sameMode(volume, claim)) return binder.enqueueClaim(claimKeyOf(volume)!);
    const message = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" due to incompatible volumeMode.`;
    binder.recorder.event(volume, 'Warning', 'VolumeMismatch', message);
    return;
  }
  if (volumeName === volume.metadata.name) {
    await setVolumePhase(binder, volume, 'Bound');
    return;
  }
  // The claim is bound to another volume. A volume that was provisioned for it is reclaimed.
  if (annotationOf(volume, PROVISIONED_BY) !== undefined && volume.spec?.persistentVolumeReclaimPolicy === 'Delete')
    return reclaim(binder, await release(binder, volume));
  await unbindVolume(binder, volume);
}

/** The claim of the volume's claimRef. The live claim is read before a volume is released. */
async function claimOf(
  { context, claims }: Binder,
  volume: PersistentVolume,
): Promise<PersistentVolumeClaim | undefined> {
  const { namespace, name = '', uid } = volume.spec?.claimRef ?? {};
  const known = claims.get(claimKeyOf(volume)!);
  if (known?.metadata.uid === uid) return known;
  if (isReleasedOrFailed(volume)) return undefined;
  try {
    const live = await context.client
      .resource('v1/persistentvolumeclaims')
      .get({ namespace, name }, { signal: context.signal });
    return live.metadata.uid === uid ? live : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const isReleasedOrFailed = (volume: PersistentVolume): boolean =>
  volume.status?.phase === 'Released' || volume.status?.phase === 'Failed';

const release = async (binder: Binder, volume: PersistentVolume): Promise<PersistentVolume> =>
  isReleasedOrFailed(volume) ? volume : setVolumePhase(binder, volume, 'Released');

async function reclaim(binder: Binder, volume: PersistentVolume): Promise<void> {
  if (volume.status?.phase === 'Failed' || volume.metadata.deletionTimestamp) return;
  switch (volume.spec?.persistentVolumeReclaimPolicy) {
    case 'Delete': {
      // The provisioner deletes the volume.
      if (annotationOf(volume, PROVISIONED_BY) !== undefined || volume.spec.csi) return;
      return fail(binder, volume, 'VolumeFailedDelete', whyNotDeleted(volume));
    }
    case 'Recycle':
      return fail(binder, volume, 'VolumeFailedRecycle', 'No recycler plugin found for the volume!');
    default:
      return;
  }
}

/** Upstream deletes directories of its own machine below /tmp, which is for tests; this controller deletes none. */
function whyNotDeleted({ metadata, spec }: PersistentVolume): string {
  const path = spec?.hostPath?.path;
  return path !== undefined && !/\/tmp\/.+/.test(path)
    ? `host_path deleter only supports /tmp/.+ but received provided ${path}`
    : `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`;
}

async function fail(binder: Binder, volume: PersistentVolume, reason: string, message: string): Promise<void> {
  const failed = await setVolumePhase(binder, volume, 'Failed', message);
  binder.recorder.event(failed, 'Warning', reason, message);
}
