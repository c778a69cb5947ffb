import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
} from '../../../api/generated/core-v1.ts';
import { formatTime } from '../../../base/index.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';

export const persistentVolumes: Strategy<ObjectOf<PersistentVolume>> = {
  deleteReturnsObject: true,
  prepareForCreate(volume, { ctx }) {
    volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(ctx.clock.now()) };
  },
  prepareForStatusUpdate(volume, old, { ctx }) {
    const status = (volume.status ??= {});
    const { phase, lastPhaseTransitionTime: since } = old.status ?? {};
    if (status.phase === phase) {
      if (!status.lastPhaseTransitionTime && since) status.lastPhaseTransitionTime = since;
    } else if (!status.lastPhaseTransitionTime || status.lastPhaseTransitionTime === since) {
      status.lastPhaseTransitionTime = formatTime(ctx.clock.now());
    }
  },
};

export const persistentVolumeClaims: Strategy<ObjectOf<PersistentVolumeClaim>> = {
  deleteReturnsObject: true,
  prepareForCreate(claim) {
    claim.status = { phase: 'Pending' };
    if (claim.spec) syncDataSources(claim.spec, undefined);
  },
  prepareForUpdate(claim, old) {
    if (claim.spec) syncDataSources(claim.spec, old.spec);
  },
};

/**
 * dataSource and dataSourceRef name the source of a volume's contents; the older one knows claims and snapshots only.
 * Each fills the other.
 */
function syncDataSources(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec | undefined): void {
  if (!old?.dataSource && !spec.dataSourceRef && spec.dataSource && !isClaimOrSnapshot(spec.dataSource))
    delete spec.dataSource;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { namespace: _, ...local } = dataSourceRef;
    spec.dataSource = local;
  }
}

const isClaimOrSnapshot = ({ kind, apiGroup }: TypedLocalObjectReference): boolean =>
  (kind === 'PersistentVolumeClaim' && !apiGroup) ||
  (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io');
