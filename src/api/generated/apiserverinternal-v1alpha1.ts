// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type ConditionStatus = string;

export type StorageVersionConditionType = string;

/** The versions of a resource that one API server stores and serves. */
export interface ServerStorageVersion {
  /** ID of the API server, the name of its identity lease. */
  apiServerID: string;
  /** The version that it stores. */
  encodingVersion: string;
  /** The versions that it can read. */
  decodableVersions: string[];
  /** The versions that it serves, among those that it can read. */
  servedVersions?: string[];
}

/** The versions of one resource that the API servers store; named group.resource. */
export interface StorageVersion {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Empty: API servers write the status. */
  spec?: StorageVersionSpec;
  /** What each API server stores. */
  status?: StorageVersionStatus;
}

/** One aspect of the current state. */
export interface StorageVersionCondition {
  /** Which condition. */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** The metadata.generation on which the condition was set. */
  observedGeneration?: number;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason: string;
  /** Details of the last change, for people to read. */
  message: string;
}

/** A list of StorageVersion objects. */
export interface StorageVersionList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: StorageVersion[];
}

/** Empty: API servers write the status. */
export interface StorageVersionSpec {
}

/** What each API server stores. */
export interface StorageVersionStatus {
  /** The versions by API server. */
  storageVersions?: ServerStorageVersion[];
  /** The stored version, if all API servers store the same. */
  commonEncodingVersion?: string;
  /** AllEncodingVersionsEqual, with its reason. */
  conditions?: StorageVersionCondition[];
}
