/** The ResourceClaims of a pod. */
import type { ResourceClaim } from '../../../api/generated/resource-v1.ts';
import type { PodInfo } from '../../cache/pod-info.ts';

/** At most this many pods may share a claim. */
export const MAX_RESERVED = 256;

interface PodClaims {
  readonly claims: readonly ResourceClaim[];
  /** Why a claim cannot be used yet. */
  readonly missing?: string;
}

/** The claims of a pod, by the names in its spec and, for those made from templates, in its status. */
export function claimsOf(pod: PodInfo, find: (key: string) => ResourceClaim | undefined): PodClaims {
  const claims: ResourceClaim[] = [];
  for (const { name, resourceClaimName } of pod.pod.spec?.resourceClaims ?? []) {
    const generated = pod.pod.status?.resourceClaimStatuses?.find((s) => s.name === name);
    if (resourceClaimName === undefined && generated === undefined)
      return { claims, missing: `pod ${JSON.stringify(pod.key)}: ResourceClaim not created yet` };
    const claimName = resourceClaimName ?? generated?.resourceClaimName;
    // The status says that the pod needs no claim.
    if (claimName === undefined) continue;
    const claim = find(`${pod.namespace}/${claimName}`);
    if (claim === undefined) return { claims, missing: `resourceclaim ${JSON.stringify(claimName)} not found` };
    if (claim.metadata.deletionTimestamp !== undefined)
      return { claims, missing: `resourceclaim ${JSON.stringify(claimName)} is being deleted` };
    if (
      resourceClaimName === undefined &&
      claim.metadata.ownerReferences?.some((o) => o.controller && o.uid !== pod.uid)
    )
      return {
        claims,
        missing: `ResourceClaim ${pod.namespace}/${claimName} was not created for pod ${pod.key} (pod is not owner)`,
      };
    claims.push(claim);
  }
  return { claims };
}

export function isReservedFor(claim: ResourceClaim, uid: string): boolean {
  return claim.status?.reservedFor?.some((r) => r.uid === uid) === true;
}
