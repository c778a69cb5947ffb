/** The cycle state of the DynamicResources plugin, from PreFilter to PreBind. */
import type { AllocationResult, ResourceClaim } from '../../../api/generated/resource-v1.ts';
import { usageOf, type DeviceUsage } from './device-usage.ts';
import type { ExtendedRequests } from './extended-resources.ts';
import type { PendingRequest } from './requests.ts';

export interface ClaimToAllocate {
  readonly claim: ResourceClaim;
  readonly requests: readonly PendingRequest[];
}

export interface PodState {
  readonly claims: readonly ResourceClaim[];
  readonly toAllocate: readonly ClaimToAllocate[];
  readonly usage: DeviceUsage;
  /** Allocations that were found, by node. */
  readonly found: Map<string, NodeAllocation>;
  /** Extended resources of the pod that devices provide on nodes which do not have the resource itself. */
  readonly extended: readonly string[];
  /** A claim for them from an earlier attempt, which must be deleted first. */
  readonly staleClaim: ResourceClaim | undefined;
  /** The claim for them that this attempt has created. */
  created: ResourceClaim | undefined;
  /** Claims with an allocation that at least one node could not use. */
  readonly unavailable: Set<ResourceClaim>;
}

export interface NodeAllocation {
  readonly results: readonly AllocationResult[];
  /** The claim for extended resources on this node; its allocation is the last one. */
  readonly extended: NodeClaim | undefined;
}

export interface NodeClaim {
  readonly claim: ResourceClaim;
  readonly mappings: ExtendedRequests['mappings'];
}

/** The state of pods without claims. */
export const NO_CLAIMS: PodState = {
  claims: [],
  toAllocate: [],
  usage: usageOf([]),
  found: new Map(),
  unavailable: new Set(),
  extended: [],
  staleClaim: undefined,
  created: undefined,
};
