/**
 * Ownership of the replica count through the scale subresource: entries of the parent that own the replicas path
 * appear on the Scale as owners of its `spec.replicas`, and changes to them are carried back.
 */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { difference, hasPath, setOfPaths } from './field-set.ts';
import { decodeManagedFields, encodeManagedFields, isSameOwner, type FieldOwner } from './managed-fields.ts';
import { fieldElement } from './path-element.ts';

/** The path of the replica count by apiVersion of the parent; null for a version without one. */
export type ReplicasPaths = Readonly<Record<string, readonly string[] | null>>;

const SCALE_VERSION = 'autoscaling/v1';
const SCALE_REPLICAS = ['f:spec', 'f:replicas'];

/** The Scale's managedFields. */
export function managedFieldsOfScale(
  parent: readonly ManagedFieldsEntry[],
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const owners: FieldOwner[] = [];
  for (const owner of decodeManagedFields(parent, 'stored')) {
    const path = paths[owner.apiVersion]?.map(fieldElement);
    if (!path || !hasPath(owner.fields, path)) continue;
    owners.push({ ...owner, apiVersion: SCALE_VERSION, fields: setOfPaths([SCALE_REPLICAS]) });
  }
  return encodeManagedFields(owners);
}

export interface ScaleOwnership {
  readonly parent: readonly ManagedFieldsEntry[];
  /** The Scale's managedFields after the write. */
  readonly scale: readonly ManagedFieldsEntry[];
  /** The parent's version through which the scale was written. */
  readonly apiVersion: string;
  readonly paths: ReplicasPaths;
}

/** The parent's managedFields after a write to its Scale. */
export function managedFieldsOfParent({
  parent,
  scale,
  apiVersion,
  paths,
}: ScaleOwnership): ManagedFieldsEntry[] | undefined {
  const scaleOwners = new Set(decodeManagedFields(scale, 'stored'));
  const owners: FieldOwner[] = [];
  for (const owner of decodeManagedFields(parent, 'stored')) {
    const path = paths[owner.apiVersion];
    if (path === undefined) continue;
    const elements = path?.map(fieldElement);
    if (!elements || !hasPath(owner.fields, elements)) {
      owners.push(owner);
      continue;
    }
    const kept = [...scaleOwners].find((other) => isSameScaleOwner(other, owner));
    if (kept) {
      owners.push(owner);
      scaleOwners.delete(kept);
      continue;
    }
    const fields = difference(owner.fields, setOfPaths([elements]));
    if (fields) owners.push({ ...owner, fields });
  }
  const ownPath = paths[apiVersion]?.map(fieldElement);
  for (const owner of ownPath ? scaleOwners : []) {
    if (!hasPath(owner.fields, SCALE_REPLICAS)) continue;
    owners.push({ ...owner, apiVersion, time: undefined, fields: setOfPaths([ownPath ?? []]) });
  }
  return encodeManagedFields(owners);
}

/** Every owner on the Scale has the Scale's apiVersion. */
const isSameScaleOwner = (scaleOwner: FieldOwner, owner: FieldOwner): boolean =>
  isSameOwner({ ...scaleOwner, apiVersion: owner.apiVersion }, owner);
