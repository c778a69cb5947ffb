/** Finds an existing PersistentVolume for a claim on a node. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import { nodeSelectorMatcher } from '../../../component-helpers/index.ts';
import { labelSelectorAsSelector } from '../../../machinery/selectors/index.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import { wholeValue } from '../../cache/quantity-values.ts';
import { storageClassOf } from '../pod-claims.ts';

export function volumeIsOnNode(volume: PersistentVolume, node: NodeInfo): boolean {
  const required = volume.spec?.nodeAffinity?.required;
  return required === undefined || nodeSelectorMatcher(required)(node);
}

export const requestedBytes = (claim: PersistentVolumeClaim): number =>
  wholeValue(claim.spec?.resources?.requests?.['storage'] ?? '0');

/** The smallest volume that matches the claim on the node. A volume whose claimRef names the claim comes first. */
export function findMatchingVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  node: NodeInfo,
  chosen: ReadonlySet<string>,
): PersistentVolume | undefined {
  const wanted = requestedBytes(claim);
  const selector = claim.spec?.selector ? labelSelectorAsSelector(claim.spec.selector) : undefined;
  let best: PersistentVolume | undefined;
  let bestSize = Infinity;
  for (const volume of volumes) {
    const { spec, metadata } = volume;
    if (spec === undefined || chosen.has(metadata.name ?? '') || metadata.deletionTimestamp !== undefined) continue;
    const size = wholeValue(spec.capacity?.['storage'] ?? '0');
    const { claimRef } = spec;
    const reserved =
      claimRef !== undefined &&
      claimRef.name === claim.metadata.name &&
      claimRef.namespace === claim.metadata.namespace &&
      (!claimRef.uid || claimRef.uid === claim.metadata.uid);
    if (claimRef !== undefined && !reserved) continue;
    if ((spec.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) continue;
    if (size < wanted || !volumeIsOnNode(volume, node)) continue;
    if (reserved) return volume;
    if (volume.status?.phase !== undefined && volume.status.phase !== 'Available') continue;
    if (
      (spec.storageClassName ?? '') !== storageClassOf(claim) ||
      (spec.volumeAttributesClassName ?? '') !== (claim.spec?.volumeAttributesClassName ?? '')
    )
      continue;
    if (selector !== undefined && !selector.matches(metadata.labels)) continue;
    if (!(claim.spec?.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode))) continue;
    if (size < bestSize || (size === bestSize && (metadata.name ?? '') < (best?.metadata.name ?? ''))) {
      best = volume;
      bestSize = size;
    }
  }
  return best;
}
