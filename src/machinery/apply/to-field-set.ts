/** The fields that a configuration mentions: what its applier will own. */
import { compareText, isRecord } from '../../base/index.ts';
import {
  DEDUCED,
  fieldOf,
  type ApplyType,
  type ListApplyType,
  type StructApplyType,
  type StructField,
} from './apply-type.ts';
import { isMember, LEAF, SELF, type FieldSet } from './field-set.ts';
import { identifyItems, sortItems } from './list-items.ts';
import { fieldElement } from './path-element.ts';
import { sharedSet, sharedStruct, sortFields } from './shared-sets.ts';

/** Paths in `ignored` are left out, with everything below them. Undefined when nothing is mentioned. */
export function fieldSetOf(type: StructApplyType, value: unknown, ignored: FieldSet): FieldSet | undefined {
  return structFields(type, value, ignored);
}

function fieldsOf(type: ApplyType, value: unknown): FieldSet | undefined {
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      return LEAF;
    case 'struct':
      return structFields(type, value, LEAF);
    case 'map':
      return mapFields(type.value, value);
    case 'list':
      return listFields(type, value);
    case 'deduced':
      return isRecord(value) ? mapFields(DEDUCED, value) : LEAF;
  }
}

function structFields(type: StructApplyType, value: unknown, ignored: FieldSet): FieldSet | undefined {
  if (!isRecord(value)) return undefined;
  const fields: StructField[] = [];
  const sets: FieldSet[] = [];
  for (const name in value) {
    const field = fieldOf(type, name);
    if (!field) continue;
    const below = ignored === LEAF ? undefined : ignored[field.element];
    if (below && isMember(below)) continue;
    const member = value[name];
    let mentioned: FieldSet | undefined;
    if (isNullOrEmptyMap(member)) mentioned = below ? undefined : LEAF;
    else
      mentioned =
        below && field.type.kind === 'struct' ? structFields(field.type, member, below) : fieldsOf(field.type, member);
    // What is not declared is a member like any map's key.
    if (field.order < 0) mentioned = withSelf(mentioned ?? LEAF);
    if (!mentioned) continue;
    fields.push(field);
    sets.push(mentioned);
  }
  sortFields(fields, sets);
  return sharedStruct(fields, sets, false);
}

function mapFields(type: ApplyType, value: unknown): FieldSet | undefined {
  if (!isRecord(value)) return undefined;
  const keys = Object.keys(value).sort(compareText);
  if (keys.length === 0) return undefined;
  const sets = keys.map((key) => withSelf(isNullOrEmptyMap(value[key]) ? LEAF : (fieldsOf(type, value[key]) ?? LEAF)));
  return sharedSet(keys.map(fieldElement), sets);
}

function listFields(type: ListApplyType, value: unknown): FieldSet | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const elements: string[] = [];
  const sets: FieldSet[] = [];
  for (const { element, item } of sortItems(type, identifyItems(type, value))) {
    if (elements.at(-1) === element) {
      // Items that repeat are owned together, without their fields.
      sets[sets.length - 1] = LEAF;
      continue;
    }
    elements.push(element);
    sets.push(withSelf(fieldsOf(type.item, item) ?? LEAF));
  }
  return sharedSet(elements, sets);
}

function withSelf(node: FieldSet): FieldSet {
  if (isMember(node)) return node;
  const elements = Object.keys(node);
  return sharedSet([SELF, ...elements], [LEAF, ...elements.map((element) => node[element]!)]);
}

function isNullOrEmptyMap(value: unknown): boolean {
  if (value === null) return true;
  if (!isRecord(value)) return false;
  for (const _ in value) return false;
  return true;
}
