/**
 * What is particular to a kind when it is written: which fields a create or update resets, when generation grows, how
 * deletion goes. Everything else about writing is the same for all kinds and lives in `verbs/`.
 */
import type { Service } from '../../api/generated/core-v1.ts';
import type { DeleteOptions } from '../../api/generated/meta-v1.ts';
import type { Context } from '../../kernel/index.ts';
import type { FieldError, GroupResource } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { UserInfo } from '../request/request.ts';
import type { ChangeableMetadata } from './keep-metadata.ts';

/** What a strategy knows of the request. */
export interface WriteContext {
  readonly ctx: Context;
  readonly groupResource: GroupResource;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly serviceAllocator: ServiceReservations;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
}

/** Reserves the addresses and ports of Services. */
export interface ServiceReservations {
  /** Fills them in; changes `service` in place. */
  reserve(service: ObjectOf<Service>, old: ObjectOf<Service> | undefined, dryRun: boolean): Promise<Reservation>;
  release(service: ObjectOf<Service>): Promise<void> | void;
}

/** Something reserved for a write (an address, a port): kept when the write succeeds, given back when it does not. */
export interface Reservation {
  commit?(): Promise<void> | void;
  rollback?(): Promise<void> | void;
}

/** An object of the kind that `T` describes. */
export type ObjectOf<T> = T & KubeObject;

/** How a write through a subresource that carries the kind itself (finalize, approval, ephemeralcontainers, resize) goes. */
export interface SubresourceStrategy<T extends KubeObject = KubeObject> {
  /** Puts back what the subresource may not change; changes the object in place. */
  prepareForUpdate(object: T, old: T, request: WriteContext): void;
  readonly resetFields?: readonly string[];
}

export interface Strategy<T extends KubeObject = KubeObject> {
  /** PUT to a name that does not exist creates the object. */
  readonly allowCreateOnUpdate?: true;
  /** PUT without a resourceVersion is refused. */
  readonly requireResourceVersionOnUpdate?: true;
  /** DELETE answers with the object even when it is gone at once. */
  readonly deleteReturnsObject?: true;
  /** What becomes of dependents when the client does not say. */
  readonly defaultPropagation?: 'Orphan' | 'Background';
  /** A warning for whoever deletes without saying what becomes of dependents. */
  readonly propagationWarning?: string;
  /** Fields that a plain write does not own in server-side apply, besides those that every kind resets. */
  readonly resetFields?: readonly string[];
  readonly statusResetFields?: readonly string[];

  /** The object as its field managers see it, where the server completes it on the way in; by default as it came. */
  tracked?(object: T): T;

  /** Normalises an object before it is validated; changes it in place. The status is already cleared. */
  prepareForCreate?(object: T, request: WriteContext): void | Promise<void>;
  /** Same for an update of the object itself; the status is already the old one. */
  prepareForUpdate?(object: T, old: T, request: WriteContext): void | Promise<void>;
  /** An update through /status; spec and the protected metadata are already the old ones. */
  prepareForStatusUpdate?(object: T, old: T, request: WriteContext): void | Promise<void>;
  /** Which metadata a status update may change: all but identity (default), or none, or a list. */
  readonly statusMetadata?: ChangeableMetadata;
  /** Whether the client may send a status with create and update (no status subresource). */
  readonly keepStatusOnWrite?: true;
  /** Whether the client may send a status with create (a kubelet registers its node with one). */
  readonly keepStatusOnCreate?: true;
  readonly subresources?: Readonly<Record<string, SubresourceStrategy<T>>>;
  /** For kinds with metadata.generation: it starts at 1 and grows with each update of which this is true. */
  generationChanges?(object: T, old: T): boolean;

  /** Completes an object that has been found valid; changes it in place. */
  canonicalize?(object: T): void;

  /** Checks that need the cluster's state, after the pure validation. */
  validate?(object: T, old: T | undefined, request: WriteContext): readonly FieldError[];

  /**
   * Reserves what the object needs (addresses, ports) and fills it in, before anything else is decided about the write;
   * given back when the write fails later on.
   */
  reserve?(object: T, old: T | undefined, request: WriteContext): Promise<Reservation>;
  /** Runs after the object has left the store. */
  afterDelete?(object: T, request: WriteContext): void | Promise<void>;

  /** Graceful deletion: the grace period to grant, or undefined to remove the object at once. */
  gracePeriod?(object: T, options: DeleteOptions): number | undefined;
  /** Deletion by other means than finalizers (namespaces have spec.finalizers); changes the object in place. */
  prepareForDelete?(object: T, request: WriteContext): void;
  /** Whether something besides finalizers holds an object that is being deleted. */
  deletionHeld?(object: T): boolean;

  /** A warning that every answer about the kind carries. */
  readonly deprecation?: string;

  /** Seconds after which a stored object expires by itself. */
  readonly ttlSeconds?: number;
}
