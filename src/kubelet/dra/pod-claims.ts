/** Resolves the `resourceClaims` entries of a pod to ResourceClaims, and checks that the pod may use them. */
import type { Container, EphemeralContainer, Pod, PodResourceClaim } from '../../api/generated/core-v1.ts';
import type { ResourceClaim } from '../../api/generated/resource-v1.ts';

/** The name of the ResourceClaim; undefined when none was needed. Throws until the claim is created. */
export function claimName({ status, metadata }: Pod, entry: PodResourceClaim): string | undefined {
  if (entry.resourceClaimName !== undefined) return entry.resourceClaimName;
  const created = status?.resourceClaimStatuses?.find(({ name }) => name === entry.name);
  if (created === undefined)
    throw new Error(
      `pod ${metadata.namespace}/${metadata.name}: ResourceClaim for ${entry.name}: ResourceClaim not created yet`,
    );
  return created.resourceClaimName;
}

export function usesClaim({ spec }: Pod, { name }: PodResourceClaim): boolean {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return [...all.map(({ resources }) => resources), spec?.resources].some(
    (resources) => resources?.claims?.some((claim) => claim.name === name) ?? false,
  );
}

/** Throws when the claim is not reserved for the pod or not allocated. */
export function checkClaim(pod: Pod, entry: PodResourceClaim, claim: ResourceClaim): void {
  const { name: podName = '', namespace = '', uid = '' } = pod.metadata;
  const title = `ResourceClaim ${claim.metadata.name}`;
  if (
    entry.resourceClaimTemplateName !== undefined &&
    !claim.metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid)
  ) {
    throw new Error(`${title} was not created for pod ${namespace}/${podName} (pod is not owner)`);
  }
  if (!claim.status?.reservedFor?.some((user) => user.uid === uid))
    throw new Error(
      `pod ${namespace}/${podName} (UID: ${uid}) is not allowed to use ${title} (UID: ${claim.metadata.uid})`,
    );
  if (claim.status.allocation === undefined) throw new Error(`${title}: claim is not allocated`);
}

export const containerClaims = ({ resources }: Pick<Container | EphemeralContainer, 'resources'>) =>
  resources?.claims ?? [];
