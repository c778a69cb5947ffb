/** Extracts what a manager applied from an object, as client-go does, for tests of laws. */
import type { Message } from '../../../api/index.ts';
import { isRecord, setOwn } from '../../../base/index.ts';
import type { KubeObject } from '../../object.ts';
import { compileMessage, DEDUCED, type ApplyType, type ListApplyType } from '../apply-type.ts';
import { hasChildren, type FieldSet } from '../field-set.ts';
import { itemElement } from '../list-items.ts';

interface Extraction {
  readonly object: KubeObject;
  readonly schemaMessage: Message;
  readonly manager: string;
  readonly subresource?: string;
}

/** Undefined when the manager has not applied to the object. */
export function extractApplied({
  object,
  schemaMessage,
  manager,
  subresource = '',
}: Extraction): Record<string, unknown> | undefined {
  const entry = object.metadata.managedFields?.find(
    (e) => e.manager === manager && e.operation === 'Apply' && (e.subresource ?? '') === subresource,
  );
  if (!entry) return undefined;
  const extracted = extractItems(compileMessage(schemaMessage), object, (entry.fieldsV1 ?? {}) as FieldSet);
  return { apiVersion: object.apiVersion, kind: object.kind, ...(isRecord(extracted) ? extracted : {}) };
}

/** The part of `value` that is in the set: its leaves, and what leads to them. */
function extractItems(type: ApplyType, value: unknown, set: FieldSet): unknown {
  if (type.kind === 'scalar' || type.kind === 'atomic') return value;
  if (type.kind === 'list') return extractFromList(type, value, set);
  if (!isRecord(value)) return type.kind === 'deduced' ? value : undefined;
  const picked: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const below = set[`f:${name}`];
    if (!below) continue;
    const memberType =
      type.kind === 'struct' ? type.byName.get(name)?.type : type.kind === 'map' ? type.value : DEDUCED;
    const part = hasChildren(below)
      ? extractItems(memberType ?? DEDUCED, value[name], below)
      : extractLeaf(memberType ?? DEDUCED, value[name]);
    if (part !== undefined) setOwn(picked, name, part);
  }
  return Object.keys(picked).length > 0 ? picked : undefined;
}

/** A leaf of the set that is a container here carries nothing but itself. */
function extractLeaf(type: ApplyType, value: unknown): unknown {
  const granular =
    type.kind === 'struct' ||
    type.kind === 'map' ||
    type.kind === 'list' ||
    (type.kind === 'deduced' && isRecord(value));
  if (!granular) return value;
  if (Array.isArray(value)) return value.length === 0 ? value : undefined;
  return isRecord(value) && Object.keys(value).length > 0 ? undefined : value;
}

function extractFromList(type: ListApplyType, value: unknown, set: FieldSet): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  const picked: unknown[] = [];
  for (const item of value as unknown[]) {
    const below = set[itemElement(type.keys ?? [], item)];
    if (!below) continue;
    picked.push(hasChildren(below) ? extractItems(type.item, item, below) : item);
  }
  return picked.length > 0 ? picked : undefined;
}
