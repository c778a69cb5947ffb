/**
 * Compares two objects: the fields that are added or modified in the second, and those removed from it. Absent and
 * null differ. An object that was absent is itself among the changes (as `.`).
 */
import { compareText, deepEqual, getOwn, isRecord } from '../../base/index.ts';
import {
  DEDUCED,
  fieldOf,
  type ApplyType,
  type ListApplyType,
  type MapApplyType,
  type StructApplyType,
  type StructField,
} from './apply-type.ts';
import { isMember, LEAF, SELF, union, type FieldSet } from './field-set.ts';
import { internSet, internStructSet, sortFields } from './interned-field-sets.ts';
import { identifyItems, isSorted, itemElement, NO_KEYS, sortItems, type IdentifiedItem } from './list-items.ts';

export interface Changes {
  /** Added or modified. */
  readonly changed: FieldSet | undefined;
  readonly removed: FieldSet | undefined;
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** Skips the paths in `ignored` with everything below them. */
export function compareObjects(
  type: StructApplyType,
  before: JsonRecord,
  after: JsonRecord,
  ignored: FieldSet,
): Changes {
  const forward = new Comparison('added or modified');
  const changed = forward.struct(type, before, after, ignored);
  const removed = forward.sawRemovals ? new Comparison('added').struct(type, after, before, ignored) : undefined;
  return { changed: changed === LEAF ? undefined : changed, removed: removed === LEAF ? undefined : removed };
}

class Comparison {
  sawRemovals = false;
  readonly #countsModified: boolean;

  constructor(counts: 'added' | 'added or modified') {
    this.#countsModified = counts === 'added or modified';
  }

  #value(type: ApplyType, before: unknown, after: unknown): FieldSet | undefined {
    if (before === after) return undefined;
    if (after === undefined) {
      this.sawRemovals = true;
      return undefined;
    }
    switch (type.kind) {
      case 'scalar':
      case 'atomic':
        return this.#leaf(before, after);
      case 'struct':
        return this.struct(type, before, after, LEAF);
      case 'map':
        return this.#map(type, before, after);
      case 'list':
        return this.#list(type, before, after);
      case 'deduced':
        return this.#deduced(before, after);
    }
  }

  #leaf(before: unknown, after: unknown): FieldSet | undefined {
    if (before === undefined) return LEAF;
    return this.#countsModified && !deepEqual(before, after) ? LEAF : undefined;
  }

  struct(type: StructApplyType, before: unknown, after: unknown, ignored: FieldSet): FieldSet | undefined {
    const old = nonEmptyRecord(before);
    const now = nonEmptyRecord(after);
    if (!old && !now) return this.#leaf(before, after);
    const found: StructField[] = [];
    const changes: FieldSet[] = [];
    let inOrder = true;
    let last = -1;
    // Iterates over the present fields, which are far fewer than the declared ones.
    for (const name in now) {
      const field = fieldOf(type, name);
      if (!field) continue;
      const was = old && getOwn(old, name);
      const is = now[name];
      if (was === is) continue;
      const below = ignored === LEAF ? undefined : ignored[field.element];
      if (below && isMember(below)) continue;
      const change =
        below && field.type.kind === 'struct' && is !== undefined
          ? this.struct(field.type, was, is, below)
          : this.#value(field.type, was, is);
      if (!change) continue;
      found.push(field);
      changes.push(change);
      if (field.order <= last) inOrder = false;
      last = field.order;
    }
    if (old && !this.sawRemovals) this.sawRemovals = lacksSome(now, old);
    if (!inOrder) sortFields(found, changes);
    return internStructSet(found, changes, before === undefined);
  }

  #map(type: MapApplyType, before: unknown, after: unknown): FieldSet | undefined {
    const old = nonEmptyRecord(before);
    const now = nonEmptyRecord(after);
    if (!old && !now) return this.#leaf(before, after);
    const elements: string[] = [];
    const changes: FieldSet[] = [];
    if (before === undefined) noteSelf(elements, changes);
    if (now) {
      const keys = Object.keys(now);
      if (keys.length > 1) keys.sort(compareText);
      for (const key of keys) {
        const change = this.#value(type.value, old && getOwn(old, key), now[key]);
        if (!change) continue;
        elements.push(`f:${key}`);
        changes.push(change);
      }
    }
    if (old && !this.sawRemovals) this.sawRemovals = lacksSome(now, old);
    return finish(elements, changes);
  }

  #list(type: ListApplyType, before: unknown, after: unknown): FieldSet | undefined {
    const old = nonEmptyList(before);
    const now = nonEmptyList(after);
    if (!old && !now) return this.#leaf(before, after);
    if (before === undefined && now && isSorted(type, now)) return this.#newList(type, now);
    const elements: string[] = [];
    const changes: FieldSet[] = [];
    if (before === undefined) noteSelf(elements, changes);
    const oldItems = old && groupItems(identifyItems(type, old));
    const nowItems = now ? sortItems(type, identifyItems(type, now)) : [];
    let kept = 0;
    for (let i = 0; i < nowItems.length;) {
      const { element } = nowItems[i]!;
      const first = i++;
      while (nowItems[i]?.element === element) i++;
      const was = oldItems?.get(element);
      if (was) kept++;
      const is = i - first === 1 ? [nowItems[first]!.item] : nowItems.slice(first, i).map(({ item }) => item);
      const change = this.#item(type, was, is);
      if (!change) continue;
      elements.push(element);
      changes.push(change);
    }
    if (oldItems && kept < oldItems.size) this.sawRemovals = true;
    return finish(elements, changes);
  }

  /** The fast path for a new list in canonical order without duplicates, as in most created objects. */
  #newList(type: ListApplyType, items: readonly unknown[]): FieldSet | undefined {
    const elements: string[] = [SELF];
    const changes: FieldSet[] = [LEAF];
    for (const item of items) {
      const element = itemElement(type.keys ?? NO_KEYS, item);
      const change = this.#value(type.item, undefined, item);
      if (!change) continue;
      elements.push(element);
      changes.push(change);
    }
    return finish(elements, changes);
  }

  /** Duplicate items are owned together as one member, without their fields. */
  #item(type: ListApplyType, was: unknown[] | undefined, is: unknown[]): FieldSet | undefined {
    const wasRepeated = was !== undefined && was.length > 1;
    if (is.length === 1) {
      if (!wasRepeated) return this.#value(type.item, was?.[0], is[0]);
      this.sawRemovals = true;
      return this.#value(type.item, undefined, is[0]);
    }
    if (!wasRepeated) {
      if (was) this.sawRemovals = true;
      return LEAF;
    }
    return this.#countsModified && !deepEqual(was, is) ? LEAF : undefined;
  }

  #deduced(before: unknown, after: unknown): FieldSet | undefined {
    const old = isRecord(before);
    const now = isRecord(after);
    if (!now && !old) return this.#leaf(before, after);
    if (before === undefined || (old && now) || before === null || after === null)
      return this.#map(DEDUCED_MAP, before, after);
    // Only one side is an object: the value itself and the fields in it changed.
    const inside = this.#map(DEDUCED_MAP, before, after);
    return this.#countsModified ? union(inside && { value: inside }, { value: LEAF })?.['value'] : inside;
  }
}

const DEDUCED_MAP: MapApplyType = { kind: 'map', value: DEDUCED };

const finish = (elements: readonly string[], changes: readonly FieldSet[]): FieldSet | undefined =>
  elements.length === 0 ? undefined : internSet(elements, changes);

function noteSelf(elements: string[], changes: FieldSet[]): void {
  elements.push(SELF);
  changes.push(LEAF);
}

/** Whether `some` has a key that `all` lacks. */
function lacksSome(all: JsonRecord | undefined, some: JsonRecord): boolean {
  for (const key in some) if (!all || getOwn(all, key) === undefined) return true;
  return false;
}

function groupItems(items: readonly IdentifiedItem[]): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const { element, item } of items) {
    const same = groups.get(element);
    if (same) same.push(item);
    else groups.set(element, [item]);
  }
  return groups;
}

function nonEmptyRecord(value: unknown): JsonRecord | undefined {
  if (!isRecord(value)) return undefined;
  for (const _ in value) return value;
  return undefined;
}

const nonEmptyList = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined;
