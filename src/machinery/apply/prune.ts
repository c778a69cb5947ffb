/** Removes what an applier applied last time, does not apply now, and nobody else owns. */
import type { Message } from '../../api/index.ts';
import type { KubeObject } from '../index.ts';
import { compileMessage } from './apply-type.ts';
import { compareObjects } from './compare.ts';
import { LEAF, type FieldSet } from './field-set.ts';
import type { FieldOwner } from './managed-fields.ts';
import { removeAbandoned } from './remove-items.ts';
import type { OtherVersions } from './versions.ts';

export interface Pruning {
  readonly merged: KubeObject;
  readonly message: Message;
  readonly apiVersion: string;
  /** The applier as it was. */
  readonly previous: FieldOwner | undefined;
  /** Everybody as it is now, the applier included. */
  readonly owners: readonly FieldOwner[];
  readonly versions: OtherVersions | undefined;
}

/** Every configuration names its object, although nobody is said to own the name: something of the metadata always stays. */
const NAMED: FieldSet = { 'f:metadata': { 'f:name': LEAF } };

export function pruneAbandoned(pruning: Pruning): KubeObject {
  const { merged, message, apiVersion, previous, owners } = pruning;
  // Equal sets are one and the same, mostly: nothing can have been abandoned then.
  if (!previous || owners.some((owner) => owner.fields === previous.fields && owner.apiVersion === previous.apiVersion))
    return merged;
  if (previous.apiVersion !== apiVersion || owners.some((owner) => owner.apiVersion !== apiVersion)) {
    return pruneAcrossVersions(pruning, previous);
  }
  const sets = [...owners.map((owner) => owner.fields), NAMED];
  return asObject(removeAbandoned(compileMessage(message), merged, previous.fields, sets), merged);
}

/** Every owner's fields are compared in the version in which it owns them. */
function pruneAcrossVersions({ merged, apiVersion, owners, versions }: Pruning, previous: FieldOwner): KubeObject {
  const lastVersion = versions?.(previous.apiVersion);
  const current = versions?.(apiVersion);
  if (!lastVersion || !current) return merged;
  const setsIn = (version: string) => [
    ...owners.filter((owner) => owner.apiVersion === version).map((owner) => owner.fields),
    NAMED,
  ];
  const whole = lastVersion.convert(merged);
  let pruned = asObject(
    removeAbandoned(compileMessage(lastVersion.message), whole, previous.fields, setsIn(previous.apiVersion)),
    whole,
  );
  for (const otherVersion of new Set(owners.map((owner) => owner.apiVersion))) {
    const other = otherVersion === previous.apiVersion ? undefined : versions?.(otherVersion);
    if (!other) continue;
    const type = compileMessage(other.message);
    const otherWhole = other.convert(whole);
    const { removed } = compareObjects(type, otherWhole, other.convert(pruned), LEAF);
    if (!removed) continue;
    pruned = lastVersion.convert(
      asObject(removeAbandoned(type, otherWhole, removed, setsIn(otherVersion)), otherWhole),
    );
  }
  return current.convert(pruned);
}

/** Everything may go from an object except that it is one. */
const asObject = (value: unknown, original: KubeObject): KubeObject =>
  value === null
    ? { apiVersion: original.apiVersion, kind: original.kind, metadata: original.metadata }
    : (value as KubeObject);
