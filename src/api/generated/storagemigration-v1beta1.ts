// Generated from src/api by `npm run generate`. Do not edit.
import type { Condition, GroupResource, ListMeta, ObjectMeta } from './meta-v1.ts';

/** Rewrites all objects of a resource in the version that is stored now. */
export interface StorageVersionMigration {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The resource. */
  spec?: StorageVersionMigrationSpec;
  /** How far the migration is. */
  status?: StorageVersionMigrationStatus;
}

/** A list of StorageVersionMigration objects. */
export interface StorageVersionMigrationList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: StorageVersionMigration[];
}

/** The resource whose objects are rewritten. */
export interface StorageVersionMigrationSpec {
  /** The resource; fixed. */
  resource: GroupResource;
}

/** How far the migration is. */
export interface StorageVersionMigrationStatus {
  /** Running, Succeeded or Failed, with reasons. */
  conditions?: Condition[];
  /** The resourceVersion of the list of objects that are rewritten. */
  resourceVersion?: string;
}
