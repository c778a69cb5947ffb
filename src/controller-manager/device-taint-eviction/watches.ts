/** What the device taint eviction controller watches, and which ResourceClaims an event concerns. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { ResourceClaim, ResourceSlice } from '../../api/generated/resource-v1.ts';
import { keyOf } from '../../client/index.ts';
import { watch, type Watch } from '../controller.ts';
import { CLAIMS_BY_POOL, poolKey, type DeviceTaintEvictionParts } from './reconcile.ts';

export function deviceTaintEvictionWatches({ slices, claims, pods }: DeviceTaintEvictionParts): readonly Watch[] {
  const claimsOfSlice = ({ spec }: ResourceSlice): Iterable<string> =>
    claims.indexer.keysByIndex(CLAIMS_BY_POOL, poolKey(spec.driver, spec.pool.name));
  const itself = (claim: ResourceClaim): string[] =>
    claim.status?.allocation && claim.status.reservedFor?.length ? [keyOf(claim)] : [];
  /** The event of a claim may come before that of the pod that uses it. */
  const claimsOfPod = ({ metadata, spec, status }: Pod): string[] =>
    (spec?.resourceClaims ?? []).flatMap(({ name, resourceClaimName }) => {
      const generated = status?.resourceClaimStatuses?.find((entry) => entry.name === name)?.resourceClaimName;
      const claim = resourceClaimName ?? generated;
      return claim === undefined ? [] : [`${metadata.namespace ?? ''}/${claim}`];
    });
  return [
    watch(slices, { added: claimsOfSlice, updated: (_, after) => claimsOfSlice(after), deleted: claimsOfSlice }),
    watch(claims, { added: itself, updated: (_, after) => itself(after) }),
    watch(pods, { added: claimsOfPod, updated: (_, after) => claimsOfPod(after) }),
  ];
}
