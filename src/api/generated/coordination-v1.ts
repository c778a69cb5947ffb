// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type CoordinatedLeaseStrategy = string;

/**  */
export interface Lease {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: LeaseSpec;
}

/** A list of Lease objects. */
export interface LeaseList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Lease[];
}

/**  */
export interface LeaseSpec {
  /**  */
  holderIdentity?: string;
  /**  */
  leaseDurationSeconds?: number;
  /**  */
  acquireTime?: string;
  /**  */
  renewTime?: string;
  /**  */
  leaseTransitions?: number;
  /**  */
  strategy?: string;
  /**  */
  preferredHolder?: string;
}
