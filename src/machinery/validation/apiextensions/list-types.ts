/** Validates lists of type set and map (x-kubernetes-list-type): no duplicate elements or keys. */
import { isRecord } from '../../../base/index.ts';
import { duplicate, type FieldError, invalidValue, type Path } from '../../errors/index.ts';
import { additionalOf, itemsOf, propertyOf, type Schema } from './schema-props.ts';

export function validateListTypes(errors: FieldError[], value: unknown, schema: Schema | undefined, at: Path): void {
  if (!schema) return;
  if (Array.isArray(value)) {
    if (schema['x-kubernetes-list-type'] === 'set') {
      for (const i of repeated(value)) errors.push(duplicate(at.index(i), value[i]));
    } else if (schema['x-kubernetes-list-type'] === 'map') {
      validateMapList(errors, value, schema['x-kubernetes-list-map-keys'] ?? [], at);
    }
    const items = itemsOf(schema);
    for (const [i, item] of value.entries()) validateListTypes(errors, item, items, at.index(i));
  } else if (isRecord(value)) {
    const additional = additionalOf(schema);
    for (const [name, child] of Object.entries(value)) {
      if (additional) validateListTypes(errors, child, additional, at.key(name));
      validateListTypes(errors, child, propertyOf(schema, name), at.child(name));
    }
  }
}

/** The index of the second occurrence of each duplicate value. */
function repeated(values: readonly unknown[]): number[] {
  const times = new Map<string, number>();
  const found: number[] = [];
  for (const [i, value] of values.entries()) {
    const key = identityOf(value);
    const before = times.get(key) ?? 0;
    if (before === 1) found.push(i);
    times.set(key, before + 1);
  }
  return found;
}

/** Objects are equal regardless of the order of their fields. */
function identityOf(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) => {
      if (typeof part === 'bigint') return `${part}n`;
      return isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part;
    }) ?? 'absent'
  );
}

function validateMapList(errors: FieldError[], value: readonly unknown[], keys: readonly string[], at: Path): void {
  const wrong = value.findIndex((item) => item !== null && !isRecord(item));
  if (wrong >= 0) {
    errors.push(invalidValue(at.index(wrong), value[wrong], 'must be an object for an array of list-type map'));
    return;
  }
  const identities = value.map((item) => {
    const fields = isRecord(item) ? item : {};
    return Object.fromEntries(keys.filter((key) => Object.hasOwn(fields, key)).map((key) => [key, fields[key]]));
  });
  for (const i of repeated(identities)) errors.push(duplicate(at.index(i), identities[i]));
}
