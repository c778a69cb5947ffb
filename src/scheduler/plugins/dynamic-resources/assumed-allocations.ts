/** Allocations that the scheduler has decided, until the informer shows them. */
import type { AllocationResult, ResourceClaim } from '../../../api/generated/resource-v1.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Listers } from '../../listers.ts';

const CLAIMS = 'resource.k8s.io/v1/resourceclaims';

export class AssumedAllocations {
  readonly #listers: Listers;
  readonly #byUid = new Map<string, { claim: ResourceClaim; allocation: AllocationResult }>();

  constructor(listers: Listers) {
    this.#listers = listers;
  }

  get(claim: ResourceClaim): AllocationResult | undefined {
    return this.#byUid.get(claim.metadata.uid ?? '')?.allocation;
  }

  assume(claim: ResourceClaim, allocation: AllocationResult): void {
    this.#byUid.set(claim.metadata.uid ?? '', { claim, allocation });
  }

  forget(claim: ResourceClaim): void {
    this.#byUid.delete(claim.metadata.uid ?? '');
  }

  /** For the claim for extended resources of a pod, which has no uid before it is created. */
  assumeExtended(pod: PodInfo, claim: ResourceClaim, allocation: AllocationResult): void {
    this.#byUid.set(extendedKey(pod), { claim, allocation });
  }

  forgetExtended(pod: PodInfo): void {
    this.#byUid.delete(extendedKey(pod));
  }

  /** All claims, with the allocations that they will have. */
  *claims(): Iterable<ResourceClaim> {
    for (const claim of this.#listers.list(CLAIMS)) if (!this.#byUid.has(claim.metadata.uid ?? '')) yield claim;
    for (const { claim, allocation } of this.#byUid.values()) {
      yield { ...claim, status: { ...claim.status, allocation } };
    }
  }

  /** Forgets the allocation as soon as the informer shows it, or the deletion of the claim. */
  forgetWhenSeen(claim: ResourceClaim): void {
    const { namespace, name, uid } = claim.metadata;
    const key = `${namespace}/${name}`;
    const informer = this.#listers.informer(CLAIMS);
    if (informer.get(key)?.status?.allocation !== undefined) return this.forget(claim);
    const seen = (object: ResourceClaim): void => {
      if (object.metadata.uid !== uid) return;
      if (object.status?.allocation === undefined && informer.get(key) !== undefined) return;
      this.forget(claim);
      stop();
    };
    const stop = informer.addHandler({ onUpdate: (_before, after) => seen(after), onDelete: seen });
  }
}

const extendedKey = (pod: PodInfo): string => `extended resources of ${pod.uid}`;
