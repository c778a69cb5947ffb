/** Upkeep of managedFields on every write that is not an apply. */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import type { Message } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { KubeObject } from '../index.ts';
import { compileMessage } from './apply-type.ts';
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
import type { OtherVersions } from './versions.ts';

export interface ManagedFieldsUpdate {
  /** The object before the write; undefined when it is being created. */
  readonly live: KubeObject | undefined;
  /** The object as it is to be stored. Its managedFields are the client's, an empty list included. */
  readonly updated: KubeObject;
  readonly manager: string;
  readonly apiVersion: string;
  /** `status`, `scale`…; empty for the object itself. */
  readonly subresource?: string;
  readonly schemaMessage: Message;
  /** The time of the write, as it is written: RFC 3339, in whole seconds, UTC. */
  readonly now: string;
  /** Paths that the strategy resets on this endpoint: nobody owns them through it. */
  readonly resetFields?: ResetFields;
  /** Finds the object's other versions, for owners that wrote in them. */
  readonly versions?: OtherVersions;
}

/** The updated object with the managedFields that it should have; shares everything else with `updated`. */
export function updateManagedFields(update: ManagedFieldsUpdate): KubeObject {
  const entries = nextEntries(update);
  const { managedFields: _given, ...metadata } = update.updated.metadata ?? {};
  return { ...update.updated, metadata: entries ? { ...metadata, managedFields: entries } : metadata };
}

function nextEntries(update: ManagedFieldsUpdate): ManagedFieldsEntry[] | undefined {
  try {
    const owners = ownersBefore(update);
    // An object whose managedFields were cleared stays untracked until somebody applies.
    if (owners.length === 0 && update.live !== undefined) return undefined;
    const reconciled = reconcileOwners(owners, update.schemaMessage, update.apiVersion);
    return encodeManagedFields(capUpdateOwners(ownersAfterUpdate(reconciled, update)));
  } catch (error) {
    // A list whose items have no identity, or nesting beyond the stack, cannot be tracked. The managedFields are dropped
    // then, as upstream does it, so that no wrong ones remain.
    if (error instanceof UnidentifiedItemError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The owners that the client sent, if it sent any that can be read; otherwise those of the live object. */
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
      // Unreadable entries count as none, so that a careless client does not lose the object's.
    }
  }
  return stored ? decodeStored(stored) : [];
}

export function decodeStored(entries: readonly ManagedFieldsEntry[]): readonly FieldOwner[] {
  try {
    return decodeManagedFields(entries, 'stored');
  } catch {
    return [];
  }
}

/** An empty list, or a list of one empty entry, asks for tracking to start over. */
const isReset = (entries: readonly ManagedFieldsEntry[]): boolean =>
  entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] ?? {}).length === 0);

type UpdateStep = Pick<
  ManagedFieldsUpdate,
  'live' | 'updated' | 'manager' | 'apiVersion' | 'subresource' | 'schemaMessage' | 'now' | 'resetFields' | 'versions'
>;

/** Everybody loses what the write changed or removed, and the writer owns what it changed. */
export function ownersAfterUpdate(owners: readonly FieldOwner[], update: UpdateStep): readonly FieldOwner[] {
  const { live, updated, schemaMessage, apiVersion } = update;
  const type = compileMessage(schemaMessage);
  const before = live ?? emptyObject(schemaMessage);
  const changes = compareObjects(type, before, updated, ignoredFields(update.resetFields));
  const left = ownersLeft(owners, apiVersion, changes, update);
  if (!changes.changed) return left;
  const self: FieldOwner = {
    manager: update.manager === '' ? 'unknown' : update.manager,
    operation: 'Update',
    apiVersion,
    subresource: update.subresource ?? '',
    time: update.now,
    fields: changes.changed,
  };
  const previous = left.find((owner) => isSameOwner(owner, self));
  if (!previous) return [...left, self];
  const fields = union(previous.fields, self.fields) ?? LEAF;
  return left.map((owner) => (owner === previous ? { ...self, fields } : owner));
}

function ownersLeft(
  owners: readonly FieldOwner[],
  apiVersion: string,
  changes: Changes,
  { live, updated, schemaMessage, resetFields, versions }: UpdateStep,
): FieldOwner[] {
  const left: FieldOwner[] = [];
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
    // A version that is not served any more takes its owners with it.
    if (!theirs) continue;
    const fields = lose(owner.fields, theirs);
    if (fields) left.push(fields === owner.fields ? owner : { ...owner, fields });
  }
  return left;
}

export const lose = (fields: FieldSet, changes: Changes): FieldSet | undefined =>
  difference(difference(fields, changes.changed), changes.removed);
