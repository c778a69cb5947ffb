/**
 * What is particular to a kind when it is written: which fields a create or update resets, when generation grows, how
 * deletion goes. Everything else about writing is the same for all kinds and lives in `verbs/`.
 */
import type { DeleteOptions } from '../../api/generated/meta-v1.ts';
import type { Context } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../../machinery/validation/field-error.ts';
import type { UserInfo } from '../request.ts';
import type { Registry } from './registry.ts';
import type { ServedResource } from './served-resource.ts';

/** What a strategy may know of the request that it serves. */
export interface WriteContext {
  readonly ctx: Context;
  readonly registry: Registry;
  readonly served: ServedResource;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
}

/** Something reserved for a write (an address, a port): kept when the write succeeds, given back when it does not. */
export interface Reservation {
  commit?(): Promise<void> | void;
  rollback?(): Promise<void> | void;
}

export interface Strategy {
  /** PUT to a name that does not exist creates the object. */
  readonly allowCreateOnUpdate?: true;
  /** PUT without a resourceVersion is refused. */
  readonly requireResourceVersionOnUpdate?: true;
  /** DELETE answers with the object even when it is gone at once. */
  readonly deleteReturnsObject?: true;
  /** What becomes of dependents when the client does not say. */
  readonly defaultPropagation?: 'Orphan' | 'Background';
  /** Fields that a plain write does not own in server-side apply, besides those that every kind resets. */
  readonly resetFields?: readonly string[];
  readonly statusResetFields?: readonly string[];

  /** Normalises an object before it is validated; changes it in place. The status is already cleared. */
  prepareForCreate?(object: KubeObject, request: WriteContext): void | Promise<void>;
  /** Same for an update of the object itself; the status is already the old one. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, request: WriteContext): void | Promise<void>;
  /** An update through /status; spec and the protected metadata are already the old ones. */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, request: WriteContext): void | Promise<void>;
  /** Which metadata a status update may change: all but identity (default), or none, or a list. */
  readonly statusMetadata?: 'all' | 'none' | readonly ('labels' | 'annotations' | 'finalizers' | 'ownerReferences')[];
  /** Whether the client may send a status with create and update (no status subresource). */
  readonly keepStatusOnWrite?: true;
  /** For kinds with metadata.generation: it starts at 1 and grows with each update of which this is true. */
  generationChanges?(object: KubeObject, old: KubeObject): boolean;

  /** Checks that need the cluster's state, after the pure validation. */
  validate?(object: KubeObject, old: KubeObject | undefined, request: WriteContext): readonly FieldError[];

  /** Reserves what the object needs (addresses, ports) just before it is stored; may fill in fields. */
  reserve?(object: KubeObject, old: KubeObject | undefined, request: WriteContext): Promise<Reservation>;
  /** Runs after the object has left the store. */
  afterDelete?(object: KubeObject, request: WriteContext): void | Promise<void>;

  /** Graceful deletion: the grace period to grant, or undefined to remove the object at once. */
  gracePeriod?(object: KubeObject, options: DeleteOptions): number | undefined;
  /** Deletion by other means than finalizers (namespaces have spec.finalizers); changes the object in place. */
  prepareForDelete?(object: KubeObject, request: WriteContext): void;
  /** Whether something besides finalizers holds an object that is being deleted. */
  deletionHeld?(object: KubeObject): boolean;

  /** Seconds after which a stored object expires by itself. */
  readonly ttlSeconds?: number;
}
