/** Updates managedFields on every write that is not an apply. */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import type { Message } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { KubeObject } from '../index.ts';
import { compileMessage, fieldOf } from './apply-type.ts';
import { compareObjects, type Changes } from './compare.ts';
import { emptyObject } from './empty-object.ts';
import { difference, LEAF, union, type FieldSet } from './field-set.ts';
import { UnidentifiedItemError } from './list-items.ts';
import {
  capUpdateOwners,
  decodeManagedFields,
  encodeManagedFields,
  isSameOwner,
  type FieldOwner,
} from './managed-fields.ts';
import { reconcileOwners } from './reconcile-schema.ts';
import { ignoredFields, type ResetFields } from './reset-fields.ts';
import { typedErrorText } from './typed-errors.ts';
import type { OtherVersions } from './versions.ts';

export interface ManagedFieldsUpdate {
  /** The object before the write; undefined for a create. */
  readonly live: KubeObject | undefined;
  /** The object to be stored. Its managedFields are the client's; an empty list resets them. */
  readonly updated: KubeObject;
  readonly manager: string;
  readonly apiVersion: string;
  /** `status`, `scale`…; empty for the object itself. */
  readonly subresource?: string;
  readonly schemaMessage: Message;
  /** The time of the write: RFC 3339, whole seconds, UTC. */
  readonly now: string;
  /** Paths that the strategy resets on this endpoint, so that no manager owns them. */
  readonly resetFields?: ResetFields;
  /** Converts the object to other versions, for owners that wrote in them. */
  readonly versions?: OtherVersions;
  /** A custom resource: its stored values may not fit a schema that was changed since. */
  readonly mayBeMistyped?: boolean;
}

/** `updated` with its new managedFields. */
export function updateManagedFields(update: ManagedFieldsUpdate): KubeObject {
  const entries = nextEntries(update);
  const { managedFields: _given, ...metadata } = update.updated.metadata ?? {};
  return { ...update.updated, metadata: entries ? { ...metadata, managedFields: entries } : metadata };
}

function nextEntries(update: ManagedFieldsUpdate): ManagedFieldsEntry[] | undefined {
  try {
    if (!isTyped(update) || (update.mayBeMistyped && isMistyped(update))) return undefined;
    const owners = ownersBefore(update);
    // An object whose managedFields were cleared stays untracked until the next apply.
    if (owners.length === 0 && update.live !== undefined) return undefined;
    const reconciled = reconcileOwners(owners, update.schemaMessage, update.apiVersion);
    return encodeManagedFields(capUpdateOwners(ownersAfterUpdate(reconciled, update)));
  } catch (error) {
    // Items without identity, or too deep nesting, cannot be tracked. As upstream, drop managedFields rather than keep
    // wrong ones.
    if (error instanceof UnidentifiedItemError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Fields that the endpoint resets are not compared. Upstream reads them all the same, and does not track an object with
 * a value that its type cannot have: a condition without a type, a text as status.
 */
function isTyped({ updated, live, schemaMessage, resetFields }: ManagedFieldsUpdate): boolean {
  if (!resetFields) return true;
  const type = compileMessage(schemaMessage);
  if (type.kind !== 'struct') return true;
  return resetFields.every(([name = '', ...below]) => {
    const value = updated[name];
    if (value === undefined || below.length > 0 || value === live?.[name]) return true;
    const field = fieldOf(type, name);
    return !field || typedErrorText(field.type, value, 'allowed') === undefined;
  });
}

/** As upstream, an object before or after the write that its schema does not describe is not tracked. */
function isMistyped({ live, updated, schemaMessage }: ManagedFieldsUpdate): boolean {
  const type = compileMessage(schemaMessage);
  return [updated, live].some((object) => typedErrorText(type, object, 'allowed') !== undefined);
}

/** The owners that the client sent, if they are valid; otherwise those of the live object. */
function ownersBefore({ live, updated, subresource }: ManagedFieldsUpdate): readonly FieldOwner[] {
  const stored = live?.metadata.managedFields;
  const sent = updated.metadata?.managedFields;
  // Most clients send back what they read.
  if (!subresource && sent !== undefined && sent !== null && !deepEqual(sent, stored)) {
    if (isReset(sent)) return [];
    try {
      const owners = decodeManagedFields(sent, 'client');
      if (owners.length > 0) return owners;
    } catch {
      // Invalid entries are ignored; the stored ones are kept.
    }
  }
  return stored ? decodeStored(stored) : [];
}

function decodeStored(entries: readonly ManagedFieldsEntry[]): readonly FieldOwner[] {
  try {
    return decodeManagedFields(entries, 'stored');
  } catch {
    return [];
  }
}

/** An empty list, or one with a single empty entry, resets managedFields. */
const isReset = (entries: readonly ManagedFieldsEntry[]): boolean =>
  entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] ?? {}).length === 0);

type UpdateStep = Pick<
  ManagedFieldsUpdate,
  'live' | 'updated' | 'manager' | 'apiVersion' | 'subresource' | 'schemaMessage' | 'now' | 'resetFields' | 'versions'
>;

/** Removes the changed and removed fields from all owners and gives the changed ones to the writer. */
export function ownersAfterUpdate(owners: readonly FieldOwner[], update: UpdateStep): readonly FieldOwner[] {
  const { live, updated, schemaMessage, apiVersion } = update;
  const type = compileMessage(schemaMessage);
  const before = live ?? emptyObject(schemaMessage);
  const changes = compareObjects(type, before, updated, ignoredFields(update.resetFields));
  const remaining = remainingOwners(owners, apiVersion, changes, update);
  if (!changes.changed) return remaining;
  const self: FieldOwner = {
    manager: update.manager === '' ? 'unknown' : update.manager,
    operation: 'Update',
    apiVersion,
    subresource: update.subresource ?? '',
    time: update.now,
    fields: changes.changed,
  };
  const previous = remaining.find((owner) => isSameOwner(owner, self));
  if (!previous) return [...remaining, self];
  const fields = union(previous.fields, self.fields) ?? LEAF;
  return remaining.map((owner) => (owner === previous ? { ...self, fields } : owner));
}

function remainingOwners(
  owners: readonly FieldOwner[],
  apiVersion: string,
  changes: Changes,
  { live, updated, schemaMessage, resetFields, versions }: UpdateStep,
): FieldOwner[] {
  const remaining: FieldOwner[] = [];
  for (const owner of owners) {
    let theirs: Changes | undefined = changes;
    if (owner.apiVersion !== apiVersion) {
      const other = versions?.(owner.apiVersion);
      theirs =
        other &&
        compareObjects(
          compileMessage(other.message),
          live ? other.convert(live) : emptyObject(schemaMessage),
          other.convert(updated),
          ignoredFields(resetFields),
        );
    }
    // Owners in a version that is no longer served are dropped.
    if (!theirs) continue;
    const fields = withoutChanged(owner.fields, theirs);
    if (fields) remaining.push(fields === owner.fields ? owner : { ...owner, fields });
  }
  return remaining;
}

export const withoutChanged = (fields: FieldSet, changes: Changes): FieldSet | undefined =>
  difference(difference(fields, changes.changed), changes.removed);
