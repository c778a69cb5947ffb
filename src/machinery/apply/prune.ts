/** Pruning: removes fields that an applier owned before, no longer applies, and that no other manager owns. */
import type { Message } from '../../api/index.ts';
import type { KubeObject } from '../index.ts';
import { compileMessage } from './apply-type.ts';
import { compareObjects } from './compare.ts';
import { LEAF, type FieldSet } from './field-set.ts';
import type { FieldOwner } from './managed-fields.ts';
import { removeItems } from './remove-items.ts';
import type { OtherVersions } from './versions.ts';

export interface Pruning {
  readonly merged: KubeObject;
  readonly message: Message;
  readonly apiVersion: string;
  /** The previous entry of the applier. */
  readonly previous: FieldOwner | undefined;
  /** All current owners, with the applier. */
  readonly owners: readonly FieldOwner[];
  readonly versions: OtherVersions | undefined;
}

/** Every configuration has the name although nobody owns it, so metadata is never removed completely. */
const NAME_FIELD: FieldSet = { 'f:metadata': { 'f:name': LEAF } };

export function prune(pruning: Pruning): KubeObject {
  const { merged, message, apiVersion, previous, owners } = pruning;
  // Equal sets are mostly one instance: then there is nothing to prune.
  if (!previous || owners.some((owner) => owner.fields === previous.fields && owner.apiVersion === previous.apiVersion))
    return merged;
  if (previous.apiVersion !== apiVersion || owners.some((owner) => owner.apiVersion !== apiVersion)) {
    return pruneAcrossVersions(pruning, previous);
  }
  const sets = [...owners.map((owner) => owner.fields), NAME_FIELD];
  return asObject(removeItems(compileMessage(message), merged, previous.fields, sets), merged);
}

/** Compares every owner's fields in the version in which it owns them. */
function pruneAcrossVersions({ merged, apiVersion, owners, versions }: Pruning, previous: FieldOwner): KubeObject {
  const lastVersion = versions?.(previous.apiVersion);
  const current = versions?.(apiVersion);
  if (!lastVersion || !current) return merged;
  const setsIn = (version: string) => [
    ...owners.filter((owner) => owner.apiVersion === version).map((owner) => owner.fields),
    NAME_FIELD,
  ];
  const whole = lastVersion.convert(merged);
  let pruned = asObject(
    removeItems(compileMessage(lastVersion.message), whole, previous.fields, setsIn(previous.apiVersion)),
    whole,
  );
  for (const otherVersion of new Set(owners.map((owner) => owner.apiVersion))) {
    const other = otherVersion === previous.apiVersion ? undefined : versions?.(otherVersion);
    if (!other) continue;
    const type = compileMessage(other.message);
    const otherWhole = other.convert(whole);
    const { removed } = compareObjects(type, otherWhole, other.convert(pruned), LEAF);
    if (!removed) continue;
    pruned = lastVersion.convert(asObject(removeItems(type, otherWhole, removed, setsIn(otherVersion)), otherWhole));
  }
  return current.convert(pruned);
}

/** If everything was removed, apiVersion, kind and metadata remain. */
const asObject = (value: unknown, original: KubeObject): KubeObject =>
  value === null
    ? { apiVersion: original.apiVersion, kind: original.kind, metadata: original.metadata }
    : (value as KubeObject);
