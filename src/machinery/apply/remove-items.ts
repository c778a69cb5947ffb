/** Takes away what an applier has stopped applying, and picks out what it applies. */
import { isRecord, setOwn } from '../../base/index.ts';
import { DEDUCED, type ApplyType, type ListApplyType } from './apply-type.ts';
import { hasChildren, isMember, type FieldSet } from './field-set.ts';
import { itemElement } from './list-items.ts';

/**
 * Removes the fields and items of `last` that nobody in `owners` has. A struct's field counts as owned by whoever owns
 * anything in it; a map's key or a list's item only by who owns it itself. What becomes empty becomes null. Returns
 * `value` itself when nothing goes.
 */
export function removeAbandoned(type: ApplyType, value: unknown, last: FieldSet, owners: readonly FieldSet[]): unknown {
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

interface Abandonment {
  readonly last: FieldSet;
  readonly owners: readonly FieldSet[];
  /** The type of what is not a declared field. */
  readonly valueType?: ApplyType;
}

function removeFromMap(
  value: unknown,
  fieldType: (name: string) => ApplyType | undefined,
  abandonment: Abandonment,
): unknown {
  if (!isRecord(value)) return value;
  const { last, owners, valueType = DEDUCED } = abandonment;
  let left: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const element = `f:${name}`;
    const mine = last[element];
    if (!mine) continue;
    const theirs = ownersOf(owners, element);
    const declared = fieldType(name);
    const abandoned = declared ? theirs.length === 0 : isMember(mine) && !theirs.some(isMember);
    if (abandoned) {
      left ??= { ...value };
      delete left[name];
      continue;
    }
    if (!hasChildren(mine)) continue;
    const rest = removeAbandoned(declared ?? valueType, value[name], mine, theirs);
    if (rest === value[name]) continue;
    left ??= { ...value };
    setOwn(left, name, rest);
  }
  if (!left) return value;
  return Object.keys(left).length > 0 ? left : null;
}

function removeFromList(type: ListApplyType, value: unknown, last: FieldSet, owners: readonly FieldSet[]): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  const left: unknown[] = [];
  let changed = false;
  for (const item of value as unknown[]) {
    const element = itemElement(type.keys ?? [], item);
    const mine = last[element];
    const theirs = mine ? ownersOf(owners, element) : [];
    if (mine && isMember(mine) && !theirs.some(isMember)) {
      changed = true;
      continue;
    }
    const rest = mine && hasChildren(mine) ? removeAbandoned(type.item, item, mine, theirs) : item;
    if (rest !== item) changed = true;
    left.push(rest);
  }
  if (!changed) return value;
  return left.length > 0 ? left : null;
}

function ownersOf(owners: readonly FieldSet[], element: string): FieldSet[] {
  const theirs: FieldSet[] = [];
  for (const owner of owners) {
    const below = owner[element];
    if (below) theirs.push(below);
  }
  return theirs;
}

/** The part of `value` that is in the set: its leaves, and what leads to them. */
export function extractItems(type: ApplyType, value: unknown, set: FieldSet): unknown {
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
