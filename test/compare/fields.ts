/** Every field of a kind as a place in its objects, and objects with a value put there. */
import type { Field, Message, Type } from '../../src/api/index.ts';
import { validValue } from './values.ts';

/** `name`, or `[]` and `{}` for an element of a list or map. */
export interface FieldPlace {
  readonly segments: readonly string[];
  readonly field: Field;
  /** Of the value itself: an element's type where the place ends in `[]` or `{}`. */
  readonly type: Type;
}

const DEEPEST = 12;

/** In the order of the declarations. A message inside itself is entered once. */
export function fieldPlaces(message: Message): FieldPlace[] {
  const out: FieldPlace[] = [];
  const enter = (type: Type, field: Field, segments: readonly string[], inside: readonly string[]): void => {
    out.push({ segments, field, type });
    if (segments.length > DEEPEST) return;
    if (type.kind === 'list') enter(type.element, field, [...segments, '[]'], inside);
    else if (type.kind === 'map') enter(type.value, field, [...segments, '{}'], inside);
    else if (type.kind === 'message' && !inside.includes(type.fullName))
      walk(type, segments, [...inside, type.fullName]);
  };
  const walk = (of: Message, segments: readonly string[], inside: readonly string[]): void => {
    for (const field of of.fields) enter(field.type, field, [...segments, field.name], inside);
  };
  walk(message, [], [message.fullName]);
  return out;
}

export function textOf({ segments }: Pick<FieldPlace, 'segments'>): string {
  return segments.join('.').replaceAll('.[]', '[]').replaceAll('.{}', '{}');
}

/** The object with the value at the place; what is missing on the way there is made as small as it can be valid. */
export function withValue(
  object: Readonly<Record<string, unknown>>,
  message: Message,
  segments: readonly string[],
  value: unknown,
): Record<string, unknown> {
  return put(object, message, segments, value) as Record<string, unknown>;
}

function put(current: unknown, type: Type, [segment, ...rest]: readonly string[], value: unknown): unknown {
  if (segment === undefined) return value;
  if (segment === '[]') {
    const list = Array.isArray(current) && current.length > 0 ? (current as unknown[]) : [undefined];
    return [put(list[0], elementOf(type), rest, value), ...list.slice(1)];
  }
  if (segment === '{}') {
    const map = (current ?? {}) as Record<string, unknown>;
    const key = Object.keys(map)[0] ?? 'a';
    return { ...map, [key]: put(map[key], elementOf(type), rest, value) };
  }
  const object = (current ?? minimal(type)) as Record<string, unknown>;
  const field = type.kind === 'message' ? type.byName.get(segment) : undefined;
  if (!field) return { ...object, [segment]: value };
  return { ...object, [segment]: put(object[segment], field.type, rest, value) };
}

function elementOf(type: Type): Type {
  return type.kind === 'list' ? type.element : type.kind === 'map' ? type.value : type;
}

/** Its required fields, each with a valid value. */
export function minimal(type: Type, depth = 0): unknown {
  if (type.kind !== 'message') return undefined;
  const out: Record<string, unknown> = {};
  for (const field of type.fields) {
    if (field.required && depth < DEEPEST) out[field.name] = validOf(field.type, field.name, depth);
  }
  return out;
}

export function validOf(type: Type, name: string, depth = 0): unknown {
  if (type.kind === 'scalar') return validValue(type, name);
  if (type.kind === 'list') return [validOf(type.element, name, depth + 1)];
  if (type.kind === 'map') return { a: validOf(type.value, name, depth + 1) };
  if (type.kind === 'message') return minimal(type, depth + 1);
  return type.union === 'JSONSchemaPropsOrBool'
    ? true
    : type.union === 'JSONSchemaPropsOrStringArray'
      ? ['a']
      : { type: 'string' };
}
