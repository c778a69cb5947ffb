// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

/** Offers a process as the holder of a lease, for coordinated leader election. */
export interface LeaseCandidate {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The lease and what speaks for the candidate. */
  spec: LeaseCandidateSpec;
}

/** A list of LeaseCandidate objects. */
export interface LeaseCandidateList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: LeaseCandidate[];
}

/** The lease and what speaks for the candidate. */
export interface LeaseCandidateSpec {
  /** Name of the lease; fixed. */
  leaseName: string;
  /** When the candidate was last asked whether it still is one. */
  pingTime?: string;
  /** When the candidate last said that it still is one. */
  renewTime?: string;
  /** Version of the program, such as 1.36.0. */
  binaryVersion: string;
  /** Version that the program emulates; at most its own. */
  emulationVersion?: string;
  /** How the leader should be picked. */
  strategy: string;
}
