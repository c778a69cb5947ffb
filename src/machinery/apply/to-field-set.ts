/** The fields that a configuration mentions: what its applier will own. */
import { isRecord } from '../object.ts';
import { DEDUCED, type ApplyType, type ListApplyType, type StructApplyType } from './apply-type.ts';
import { isMember, LEAF, SELF, type FieldSet, type FieldSetBuilder } from './field-set.ts';
import { compareText } from '../patch/go-text.ts';
import { identifyItems, sortItems } from './list-items.ts';

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
  let set: FieldSetBuilder | undefined;
  for (const name of Object.keys(value).sort(compareText)) {
    const field = type.byName.get(name);
    if (!field) continue;
    const below = ignored[field.element];
    if (below && isMember(below)) continue;
    const member = value[name];
    let mentioned: FieldSet | undefined;
    if (isNullOrEmptyMap(member)) mentioned = below ? undefined : LEAF;
    else mentioned = below && field.type.kind === 'struct' ? structFields(field.type, member, below) : fieldsOf(field.type, member);
    if (mentioned) (set ??= {})[field.element] = mentioned;
  }
  return set;
}

function mapFields(type: ApplyType, value: unknown): FieldSet | undefined {
  if (!isRecord(value)) return undefined;
  let set: FieldSetBuilder | undefined;
  for (const key of Object.keys(value).sort(compareText)) {
    (set ??= {})[`f:${key}`] = withSelf(isNullOrEmptyMap(value[key]) ? LEAF : (fieldsOf(type, value[key]) ?? LEAF));
  }
  return set;
}

function listFields(type: ListApplyType, value: unknown): FieldSet | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const set: FieldSetBuilder = {};
  let previous = '';
  for (const { element, item } of sortItems(type, identifyItems(type, value))) {
    // Items that repeat are owned together, without their fields.
    set[element] = element === previous ? LEAF : withSelf(fieldsOf(type.item, item) ?? LEAF);
    previous = element;
  }
  return set;
}

const withSelf = (node: FieldSet): FieldSet => (isMember(node) ? node : { [SELF]: LEAF, ...node });

function isNullOrEmptyMap(value: unknown): boolean {
  if (value === null) return true;
  if (!isRecord(value)) return false;
  for (const _ in value) return false;
  return true;
}
