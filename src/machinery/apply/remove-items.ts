/** Removes the fields and list items that an applier no longer applies. */
import { isRecord, setOwn } from '../../base/index.ts';
import { DEDUCED, type ApplyType, type ListApplyType } from './apply-type.ts';
import { hasChildren, isMember, type FieldSet } from './field-set.ts';
import { itemElement } from './list-items.ts';

/**
 * Removes the fields and items of `last` that are in none of `owners`. An owner of anything inside a struct's field
 * owns the field; a map's key or a list's item has to be owned itself. A container that becomes empty becomes null.
 * Returns `value` itself if nothing is removed.
 */
export function removeItems(type: ApplyType, value: unknown, last: FieldSet, owners: readonly FieldSet[]): unknown {
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      return value;
    case 'struct':
      return removeFromMap(value, (name) => type.byName.get(name)?.type, { last, owners });
    case 'map':
      return removeFromMap(value, () => undefined, { last, owners, valueType: type.value });
    case 'deduced':
      return removeFromMap(value, () => undefined, { last, owners, valueType: DEDUCED });
    case 'list':
      return removeFromList(type, value, last, owners);
  }
}

interface Removal {
  readonly last: FieldSet;
  readonly owners: readonly FieldSet[];
  /** The type of undeclared fields. */
  readonly valueType?: ApplyType;
}

function removeFromMap(value: unknown, fieldType: (name: string) => ApplyType | undefined, removal: Removal): unknown {
  if (!isRecord(value)) return value;
  const { last, owners, valueType = DEDUCED } = removal;
  let remaining: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const element = `f:${name}`;
    const mine = last[element];
    if (!mine) continue;
    const theirs = ownersOf(owners, element);
    const declared = fieldType(name);
    const abandoned = declared ? theirs.length === 0 : isMember(mine) && !theirs.some(isMember);
    if (abandoned) {
      remaining ??= { ...value };
      delete remaining[name];
      continue;
    }
    if (!hasChildren(mine)) continue;
    const rest = removeItems(declared ?? valueType, value[name], mine, theirs);
    if (rest === value[name]) continue;
    remaining ??= { ...value };
    setOwn(remaining, name, rest);
  }
  if (!remaining) return value;
  return Object.keys(remaining).length > 0 ? remaining : null;
}

function removeFromList(type: ListApplyType, value: unknown, last: FieldSet, owners: readonly FieldSet[]): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  const remaining: unknown[] = [];
  let changed = false;
  for (const item of value as unknown[]) {
    const element = itemElement(type.keys ?? [], item);
    const mine = last[element];
    const theirs = mine ? ownersOf(owners, element) : [];
    if (mine && isMember(mine) && !theirs.some(isMember)) {
      changed = true;
      continue;
    }
    const rest = mine && hasChildren(mine) ? removeItems(type.item, item, mine, theirs) : item;
    if (rest !== item) changed = true;
    remaining.push(rest);
  }
  if (!changed) return value;
  return remaining.length > 0 ? remaining : null;
}

function ownersOf(owners: readonly FieldSet[], element: string): FieldSet[] {
  const theirs: FieldSet[] = [];
  for (const owner of owners) {
    const below = owner[element];
    if (below) theirs.push(below);
  }
  return theirs;
}
