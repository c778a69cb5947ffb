/** The field set of a configuration: the fields that its applier will own. */
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
import { internSet, internStructSet, sortFields } from './interned-field-sets.ts';
import { identifyItems, sortItems } from './list-items.ts';
import { fieldElement } from './path-element.ts';

/** Without the paths in `ignored` and everything below them. Undefined if it is empty. */
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
    let fieldSet: FieldSet | undefined;
    if (isNullOrEmptyMap(member)) fieldSet = below ? undefined : LEAF;
    else
      fieldSet =
        below && field.type.kind === 'struct' ? structFields(field.type, member, below) : fieldsOf(field.type, member);
    // An undeclared field is a member, like a map's key.
    if (field.order < 0) fieldSet = withSelf(fieldSet ?? LEAF);
    if (!fieldSet) continue;
    fields.push(field);
    sets.push(fieldSet);
  }
  sortFields(fields, sets);
  return internStructSet(fields, sets, false);
}

function mapFields(type: ApplyType, value: unknown): FieldSet | undefined {
  if (!isRecord(value)) return undefined;
  const keys = Object.keys(value).sort(compareText);
  if (keys.length === 0) return undefined;
  const sets = keys.map((key) => withSelf(isNullOrEmptyMap(value[key]) ? LEAF : (fieldsOf(type, value[key]) ?? LEAF)));
  return internSet(keys.map(fieldElement), sets);
}

function listFields(type: ListApplyType, value: unknown): FieldSet | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const elements: string[] = [];
  const sets: FieldSet[] = [];
  for (const { element, item } of sortItems(type, identifyItems(type, value))) {
    if (elements.at(-1) === element) {
      // Duplicate items are owned together, without their fields.
      sets[sets.length - 1] = LEAF;
      continue;
    }
    elements.push(element);
    sets.push(withSelf(fieldsOf(type.item, item) ?? LEAF));
  }
  return internSet(elements, sets);
}

function withSelf(node: FieldSet): FieldSet {
  if (isMember(node)) return node;
  const elements = Object.keys(node);
  return internSet([SELF, ...elements], [LEAF, ...elements.map((element) => node[element]!)]);
}

function isNullOrEmptyMap(value: unknown): boolean {
  if (value === null) return true;
  if (!isRecord(value)) return false;
  for (const _ in value) return false;
  return true;
}
