/**
 * What a write changed: the paths that are new or different in the second object, and those that are gone from it.
 * Absent and null are different things, and an object that was absent is itself among the changes (as `.`).
 */
import { isRecord } from '../object.ts';
import { getOwn } from '../patch/own-property.ts';
import type { ApplyType, ListApplyType, MapApplyType, StructApplyType } from './apply-type.ts';
import { DEDUCED } from './apply-type.ts';
import { deepEqual } from './deep-equal.ts';
import { isLeaf, isMember, LEAF, SELF, union, type FieldSet, type FieldSetBuilder } from './field-set.ts';
import { compareText } from './go-text.ts';
import { indexItems, sortItemElements } from './list-items.ts';

export interface Changes {
  /** Added or modified. */
  readonly changed: FieldSet | undefined;
  readonly removed: FieldSet | undefined;
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** Paths in `ignored` do not count, with everything below them. */
export function compareObjects(type: StructApplyType, before: JsonRecord, after: JsonRecord, ignored: FieldSet): Changes {
  const forward = new Comparison('added or modified');
  const changed = forward.struct(type, before, after, ignored);
  const removed = forward.sawRemovals ? new Comparison('added').struct(type, after, before, ignored) : undefined;
  return { changed: changed === LEAF ? undefined : changed, removed: removed === LEAF ? undefined : removed };
}

class Comparison {
  sawRemovals = false;
  private readonly countsModified: boolean;

  constructor(counts: 'added' | 'added or modified') {
    this.countsModified = counts === 'added or modified';
  }

  private value(type: ApplyType, before: unknown, after: unknown): FieldSet | undefined {
    if (before === after) return undefined;
    if (after === undefined) {
      this.sawRemovals = true;
      return undefined;
    }
    switch (type.kind) {
      case 'scalar':
      case 'atomic':
        return this.leaf(before, after);
      case 'struct':
        return this.struct(type, before, after, LEAF);
      case 'map':
        return this.map(type, before, after);
      case 'list':
        return this.list(type, before, after);
      case 'deduced':
        return this.deduced(before, after);
    }
  }

  private leaf(before: unknown, after: unknown): FieldSet | undefined {
    if (before === undefined) return LEAF;
    return this.countsModified && !deepEqual(before, after) ? LEAF : undefined;
  }

  struct(type: StructApplyType, before: unknown, after: unknown, ignored: FieldSet): FieldSet | undefined {
    const old = nonEmptyRecord(before);
    const now = nonEmptyRecord(after);
    if (!old && !now) return this.leaf(before, after);
    let changes: FieldSetBuilder | undefined;
    if (before === undefined) changes = { [SELF]: LEAF };
    for (const field of type.fields) {
      const was = old && getOwn(old, field.name);
      const is = now && getOwn(now, field.name);
      if (was === is) continue;
      const below = ignored[field.element];
      if (below && isMember(below)) continue;
      const change =
        below && field.type.kind === 'struct' && is !== undefined
          ? this.struct(field.type, was, is, below)
          : this.value(field.type, was, is);
      if (change) (changes ??= {})[field.element] = change;
    }
    return finish(changes);
  }

  private map(type: MapApplyType, before: unknown, after: unknown): FieldSet | undefined {
    const old = nonEmptyRecord(before);
    const now = nonEmptyRecord(after);
    if (!old && !now) return this.leaf(before, after);
    let changes: FieldSetBuilder | undefined;
    if (before === undefined) changes = { [SELF]: LEAF };
    if (now) {
      const keys = Object.keys(now);
      if (keys.length > 1) keys.sort(compareText);
      for (const key of keys) {
        const change = this.value(type.value, old && getOwn(old, key), getOwn(now, key));
        if (change) (changes ??= {})[`f:${key}`] = change;
      }
    }
    if (old && !this.sawRemovals) {
      for (const key in old) if (!now || !Object.hasOwn(now, key)) this.sawRemovals = true;
    }
    return finish(changes);
  }

  private list(type: ListApplyType, before: unknown, after: unknown): FieldSet | undefined {
    const old = nonEmptyList(before);
    const now = nonEmptyList(after);
    if (!old && !now) return this.leaf(before, after);
    let changes: FieldSetBuilder | undefined;
    if (before === undefined) changes = { [SELF]: LEAF };
    const oldItems = indexItems(type, old ?? []);
    const nowItems = indexItems(type, now ?? []);
    const found = new Map<string, FieldSet>();
    for (const [element, is] of nowItems) {
      const change = this.item(type, oldItems.get(element), is);
      if (change) found.set(element, change);
    }
    for (const element of oldItems.keys()) if (!nowItems.has(element)) this.sawRemovals = true;
    const elements = sortItemElements(type, [...found.keys()], (element) => nowItems.get(element)?.[0]);
    for (const element of elements) (changes ??= {})[element] = found.get(element)!;
    return finish(changes);
  }

  /** Items that repeat have no fields of their own: they are owned together, as one member. */
  private item(type: ListApplyType, was: unknown[] | undefined, is: unknown[]): FieldSet | undefined {
    const wasRepeated = was !== undefined && was.length > 1;
    if (is.length === 1) {
      if (!wasRepeated) {
        const added = was === undefined;
        const change = this.value(type.item, was?.[0], is[0]);
        return added && change ? withSelf(change) : change;
      }
      this.sawRemovals = true;
      return withSelf(this.value(type.item, undefined, is[0]) ?? LEAF);
    }
    if (!wasRepeated) {
      if (was) this.sawRemovals = true;
      return LEAF;
    }
    return this.countsModified && !deepEqual(was, is) ? LEAF : undefined;
  }

  private deduced(before: unknown, after: unknown): FieldSet | undefined {
    const old = isRecord(before);
    const now = isRecord(after);
    if (!now && !old) return this.leaf(before, after);
    if (before === undefined || (old && now) || before === null || after === null) return this.map(DEDUCED_MAP, before, after);
    // One side is an object and the other is not: the value as a whole changed, and so did what is in it.
    const inside = this.map(DEDUCED_MAP, before, after);
    return this.countsModified ? union(inside && { value: inside }, { value: LEAF })?.['value'] : inside;
  }
}

const DEDUCED_MAP: MapApplyType = { kind: 'map', value: DEDUCED };

const finish = (changes: FieldSetBuilder | undefined): FieldSet | undefined => {
  if (!changes) return undefined;
  for (const key in changes) if (key !== SELF) return changes;
  return LEAF;
};

const withSelf = (node: FieldSet): FieldSet => (node[SELF] || isLeaf(node) ? node : { [SELF]: LEAF, ...node });

function nonEmptyRecord(value: unknown): JsonRecord | undefined {
  if (!isRecord(value)) return undefined;
  for (const _ in value) return value;
  return undefined;
}

const nonEmptyList = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined;
