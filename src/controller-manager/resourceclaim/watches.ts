/** What the ResourceClaim controller watches: pods, claims and templates. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { ResourceClaim } from '../../api/generated/resource-v1.ts';
import { CONTROLLER_UID_INDEX, controllerOf, keyOf } from '../../client/index.ts';
import { watch, type Watch } from '../controller.ts';
import { CLAIM_KEY, POD_CLAIM_NAME, POD_KEY, type ResourceClaimParts } from './reconcile.ts';

export function resourceClaimWatches({ pods, claims, templates, created }: ResourceClaimParts): readonly Watch[] {
  /** The pod, the claims that it names, and claims that were created for it but are not in its status. */
  const podKeys = (pod: Pod): string[] => {
    const entries = pod.spec?.resourceClaims ?? [];
    if (entries.length === 0) return [];
    const known = pod.status?.resourceClaimStatuses;
    const named = entries.flatMap(({ name, resourceClaimName }) => {
      const claimName = resourceClaimName ?? known?.find((status) => status.name === name)?.resourceClaimName;
      return claimName ? [`${pod.metadata.namespace ?? ''}/${claimName}`] : [];
    });
    const owned = claims.indexer.keysByIndex(CONTROLLER_UID_INDEX, pod.metadata.uid ?? '');
    return [POD_KEY + keyOf(pod), ...[...named, ...owned].map((key) => CLAIM_KEY + key)];
  };
  const claimKeys = (claim: ResourceClaim): string[] => {
    const owner = controllerOf(claim);
    if (owner) created.delete(`${owner.uid}/${claim.metadata.annotations?.[POD_CLAIM_NAME] ?? ''}`);
    const podKey = owner?.kind === 'Pod' ? [`${POD_KEY}${claim.metadata.namespace ?? ''}/${owner.name}`] : [];
    return [...podKey, CLAIM_KEY + keyOf(claim)];
  };
  return [
    watch(pods, { added: podKeys, updated: (_, after) => podKeys(after), deleted: podKeys }),
    watch(claims, { added: claimKeys, updated: (_, after) => claimKeys(after), deleted: claimKeys }),
    watch(templates, {
      added: ({ metadata }, { initial }) =>
        (initial ? [] : pods.list())
          .filter(
            ({ metadata: { namespace }, spec }) =>
              namespace === metadata.namespace &&
              spec?.resourceClaims?.some((entry) => entry.resourceClaimTemplateName === metadata.name),
          )
          .map((pod) => POD_KEY + keyOf(pod)),
    }),
  ];
}
