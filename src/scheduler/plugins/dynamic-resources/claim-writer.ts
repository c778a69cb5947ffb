/** The writes of the DynamicResources plugin to ResourceClaims, and to pods that have one for extended resources. */
import type { AllocationResult, ResourceClaim } from '../../../api/generated/resource-v1.ts';
import { isNotFound, retryOnConflict, type ResourceClient } from '../../../client/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Handle } from '../../framework/handle.ts';
import { isReservedFor } from './claims.ts';
import type { NodeClaim } from './pod-state.ts';

const FINALIZER = 'resource.kubernetes.io/delete-protection';

export class ClaimWriter {
  readonly #handle: Handle;
  readonly #resource: ResourceClient<ResourceClaim>;

  constructor(handle: Handle) {
    this.#handle = handle;
    this.#resource = handle.client.resource('resource.k8s.io/v1/resourceclaims');
  }

  create(claim: ResourceClaim, signal: AbortSignal): Promise<ResourceClaim> {
    return this.#resource.create(claim, { signal });
  }

  /** Reserves a claim for a pod, and writes its allocation where it has none yet. */
  async reserve(
    pod: PodInfo,
    claim: ResourceClaim,
    allocation: AllocationResult | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    await retryOnConflict(this.#handle, async () => {
      let current = await this.#resource.get(referenceOf(claim), { signal });
      const { name, deletionTimestamp } = current.metadata;
      if (deletionTimestamp !== undefined) throw new Error(`claim ${name} got deleted in the meantime`);
      if (allocation !== undefined) current = await this.#protect(current, signal);
      if (allocation !== undefined && current.status?.allocation !== undefined) {
        throw new Error(`claim ${name} got allocated elsewhere in the meantime`);
      }
      const reserved = current.status?.reservedFor ?? [];
      const consumer = { resource: 'pods', name: pod.name, uid: pod.uid };
      const reservedFor = isReservedFor(current, pod.uid) ? reserved : [...reserved, consumer];
      const status = { ...current.status, ...(allocation ? { allocation } : {}), reservedFor };
      await this.#resource.updateStatus({ ...current, status }, { signal });
    });
  }

  /** Adds the finalizer that keeps an allocated claim until its devices are free. */
  async #protect(claim: ResourceClaim, signal: AbortSignal): Promise<ResourceClaim> {
    const { finalizers = [] } = claim.metadata;
    if (finalizers.includes(FINALIZER)) return claim;
    const metadata = { ...claim.metadata, finalizers: [...finalizers, FINALIZER] };
    return this.#resource.update({ ...claim, metadata }, { signal });
  }

  /** Writes to the pod's status which container uses which request of the claim for extended resources. */
  async writePodStatus(
    { namespace, name, uid }: PodInfo,
    claim: ResourceClaim,
    requestMappings: NodeClaim['mappings'],
    signal: AbortSignal,
  ): Promise<void> {
    const status = { extendedResourceClaimStatus: { resourceClaimName: claim.metadata.name, requestMappings } };
    await this.#handle.client
      .resource('v1/pods')
      .patch({ namespace, name }, { metadata: { uid }, status }, { type: 'strategic', subresource: 'status', signal });
  }

  /** Deallocates a claim that no pod uses and whose devices are on nodes where the pod does not fit. */
  async deallocate(claim: ResourceClaim): Promise<void> {
    const status = { ...claim.status, reservedFor: undefined, allocation: undefined };
    await this.#resource.updateStatus({ ...claim, status });
  }

  /** Deletes a claim that the scheduler has created, with its finalizer. */
  async delete(claim: ResourceClaim, signal: AbortSignal): Promise<void> {
    const reference = referenceOf(claim);
    try {
      await retryOnConflict(this.#handle, async () => {
        const current = await this.#resource.get(reference, { signal });
        const finalizers = current.metadata.finalizers?.filter((finalizer) => finalizer !== FINALIZER);
        if (finalizers?.length === current.metadata.finalizers?.length) return;
        await this.#resource.update({ ...current, metadata: { ...current.metadata, finalizers } }, { signal });
      });
      await this.#resource.delete(reference, { preconditions: { uid: claim.metadata.uid }, signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  deleteInBackground(claim: ResourceClaim): void {
    const handle = this.#handle;
    handle.background(async (signal) => {
      await this.delete(claim, signal).catch((error: unknown) => {
        if (!signal.aborted) handle.logger.error(error, 'delete', { resourceclaim: claim.metadata.name });
      });
    });
  }

  /** Removes the reservation of a pod. */
  unreserveInBackground(pod: PodInfo, claim: ResourceClaim): void {
    const handle = this.#handle;
    const reservedFor = [{ $patch: 'delete', uid: pod.uid }];
    const patch = { metadata: { uid: claim.metadata.uid }, status: { reservedFor } };
    handle.background(async (signal) => {
      await this.#resource
        .patch(referenceOf(claim), patch, { type: 'strategic', subresource: 'status', signal })
        .catch((error: unknown) => {
          if (signal.aborted || isNotFound(error)) return;
          handle.logger.error(error, 'unreserve', { resourceclaim: claim.metadata.name ?? '' });
        });
    });
  }
}

const referenceOf = ({ metadata: { namespace, name = '' } }: ResourceClaim): { namespace?: string; name: string } => ({
  namespace,
  name,
});
