/** The score of DynamicResources: prefers nodes where earlier alternatives of firstAvailable were allocated. */
import type { AllocationResult, ResourceClaim } from '../../../api/generated/resource-v1.ts';

/** The API allows this many subrequests. */
const MAX_ALTERNATIVES = 8;

/** Sums the ranks of the allocated subrequests over all requests of all claims. */
export function preferenceScore(claims: readonly ResourceClaim[], allocations: readonly AllocationResult[]): number {
  let score = 0;
  claims.forEach((claim, i) => {
    const served = new Set(allocations[i]?.devices?.results?.map((result) => result.request));
    for (const { name, firstAvailable } of claim.spec.devices?.requests ?? []) {
      (firstAvailable ?? []).forEach((alternative, at) => {
        if (served.has(`${name}/${alternative.name}`)) score += MAX_ALTERNATIVES - at;
      });
    }
  });
  return score;
}
