// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type CoordinatedLeaseStrategy = string;

/** A claim to a role that must be renewed, for leader election and heartbeats. */
export interface Lease {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: LeaseSpec;
}

/** A list of Lease objects. */
export interface LeaseList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Lease[];
}

/** Holder and times of a lease. */
export interface LeaseSpec {
  /** Who holds the lease. */
  holderIdentity?: string;
  /** Seconds after the last renewal before others may take it. */
  leaseDurationSeconds?: number;
  /** When the holder got the lease. */
  acquireTime?: string;
  /** When the holder last renewed it. */
  renewTime?: string;
  /** How often the holder has changed. */
  leaseTransitions?: number;
  /** How the leader is picked in coordinated election. */
  strategy?: string;
  /** Who should take over when the present holder yields. */
  preferredHolder?: string;
}
