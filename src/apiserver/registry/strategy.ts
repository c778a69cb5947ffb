/**
 * What is particular to a kind when it is written: which fields a create or update resets, when generation grows, how
 * it is deleted. Everything else about writes is the same for all kinds and lives in `verbs/`.
 */
import type { Service } from '../../api/generated/core-v1.ts';
import type { DeleteOptions } from '../../api/generated/meta-v1.ts';
import type { Context, Span } from '../../kernel/index.ts';
import type { FieldError, GroupResource } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { ValidationContext } from '../../machinery/validation/index.ts';
import type { UserInfo } from '../request/request.ts';
import type { ChangeableMetadata } from './keep-metadata.ts';

/** What a strategy knows of the request. */
export interface WriteContext {
  readonly ctx: Context;
  readonly groupResource: GroupResource;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Of the request that writes. */
  readonly span?: Span | undefined;
  /** A thread validates the object: nothing has to be checked in slices ahead of that. */
  readonly validatesInThread: boolean;
  /** What validation depends on. */
  readonly validation: ValidationContext;
  readonly serviceAllocator: ServiceReservations;
  /** The labels of a namespace; none of one that does not exist. */
  namespaceLabels(name: string): Readonly<Record<string, string>>;
  /** Adds a Warning header to the response. */
  warn(text: string): void;
}

/** Reserves the addresses and ports of Services. */
interface ServiceReservations {
  /** Fills them in; changes `service` in place. */
  reserve(
    service: ObjectOf<Service>,
    old: ObjectOf<Service> | undefined,
    request: Pick<WriteContext, 'dryRun' | 'span'>,
  ): Promise<Reservation>;
  release(service: ObjectOf<Service>, request: Pick<WriteContext, 'span'>): Promise<void> | void;
}

/**
 * Something reserved for a write (an address, a port): committed when the write succeeds, rolled back when it fails.
 */
export interface Reservation {
  commit?(): Promise<void> | void;
  rollback?(): Promise<void> | void;
}

/** An object of the kind that `T` describes. */
export type ObjectOf<T> = T & KubeObject;

/** A write through a subresource that carries the kind itself (finalize, approval, ephemeralcontainers, resize). */
export interface SubresourceStrategy<T extends KubeObject = KubeObject> {
  /** Restores what the subresource may not change; changes the object in place. */
  prepareForUpdate(object: T, old: T, request: WriteContext): void;
  readonly resetFields?: readonly string[];
}

export interface Strategy<T extends KubeObject = KubeObject> {
  /** PUT to a name that does not exist creates the object. */
  readonly allowCreateOnUpdate?: true;
  /** PUT without a resourceVersion is refused. */
  readonly requireResourceVersionOnUpdate?: true;
  /** DELETE returns the object even when it is removed at once. */
  readonly deleteReturnsObject?: true;
  /** The default deletion propagation; `Unsupported` for kinds that the garbage collector does not know. */
  readonly defaultPropagation?: 'Orphan' | 'Background' | 'Unsupported';
  /** The delete that marks the object does not look at the propagation policy; later ones do. */
  readonly firstDeleteIgnoresPropagation?: true;
  /** A warning to clients that delete without a propagation policy. */
  readonly propagationWarning?: string;
  /** Fields that a plain write cannot own, besides those that every kind resets. */
  readonly resetFields?: readonly string[];
  readonly statusResetFields?: readonly string[];
  /** A plain write owns the status that it sends, although none of it is kept. */
  readonly ownsSentStatus?: true;

  /** The metadata without annotations that stand for a field: what tables and PartialObjectMetadata have. */
  internalMetadata?(this: void, metadata: T['metadata']): T['metadata'];

  /** The object as field ownership sees it, where the server completes it on the way in. */
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
  /** What the internal type's zero value, which bookmarks carry, has in its spec besides the fields always written. */
  readonly zeroSpec?: Readonly<Record<string, unknown>>;
  /** A write counts although nothing but fields of disabled features changes, which are dropped. */
  readonly countsDisabledFields?: true;
  /** Whether metadata.generation grows; it starts at 1. Kinds without this have no generation. */
  generationChanges?(object: T, old: T): boolean;

  /** Completes a valid object; changes it in place. */
  canonicalize?(object: T): void;

  /** Checks that need the cluster's state, before the pure validation. */
  validate?(object: T, old: T | undefined, request: WriteContext): readonly FieldError[];

  /**
   * Reserves what the object needs (addresses, ports) and fills it in, before the rest of the write; rolled back when
   * the write fails.
   */
  reserve?(object: T, old: T | undefined, request: WriteContext): Promise<Reservation>;
  /** Runs after the object has been removed from the store. */
  afterDelete?(object: T, request: WriteContext): void | Promise<void>;

  /** The grace period of a deletion; undefined to remove the object at once. */
  gracePeriod?(object: T, options: DeleteOptions): number | undefined;
  /** For deletion by other means than finalizers (namespaces have spec.finalizers); changes the object in place. */
  prepareForDelete?(object: T, request: WriteContext): void;
  /** Whether something besides finalizers holds up the removal of an object that is being deleted. */
  deletionHeld?(object: T): boolean;

  /** A warning in every response about the kind. */
  readonly deprecation?: string;

  /** Seconds after which the store removes the object. */
  readonly ttlSeconds?: number;
}
