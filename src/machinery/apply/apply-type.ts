/**
 * How each type merges in server-side apply, compiled once per type from the schema: fields in canonical order with
 * their path elements, list keys with their defaults.
 */
import type { Field, ListType, Message, ScalarType, Type } from '../../api/index.ts';
import { compareText, jsonText } from '../../base/index.ts';

export type ApplyType =
  | ScalarApplyType
  | AtomicApplyType
  | DeducedApplyType
  | StructApplyType
  | MapApplyType
  | ListApplyType;

export interface ScalarApplyType {
  readonly kind: 'scalar';
  /** `untyped` accepts any scalar. */
  readonly scalar: 'string' | 'numeric' | 'boolean' | 'untyped';
}

/** A value that is owned and replaced as a whole. Its content is still checked against `inner`. */
export interface AtomicApplyType {
  readonly kind: 'atomic';
  readonly inner: StructApplyType | MapApplyType | ListApplyType | DeducedApplyType;
}

/** Any JSON: maps merge key by key, lists are atomic. */
export interface DeducedApplyType {
  readonly kind: 'deduced';
  /** Only objects are accepted. */
  readonly object: boolean;
}

export interface StructApplyType {
  readonly kind: 'struct';
  /** Sorted by name. */
  readonly fields: readonly StructField[];
  readonly byName: ReadonlyMap<string, StructField>;
  /** The type of undeclared fields; undefined if they are not allowed. */
  readonly unknown: ApplyType | undefined;
}

export interface StructField {
  readonly name: string;
  readonly element: string;
  readonly type: ApplyType;
  /** Its index among the declared fields; -1 for an undeclared field. */
  readonly order: number;
}

/** The field of that name; also an undeclared one if the type allows it. */
export function fieldOf(type: StructApplyType, name: string): StructField | undefined {
  const declared = type.byName.get(name);
  if (declared || !type.unknown) return declared;
  return { name, element: `f:${name}`, type: type.unknown, order: -1 };
}

export interface MapApplyType {
  readonly kind: 'map';
  readonly value: ApplyType;
}

export interface ListApplyType {
  readonly kind: 'list';
  readonly item: ApplyType;
  /** Sorted by name; empty for a set of scalars, undefined for a list that is only ever atomic. */
  readonly keys: readonly ListKey[] | undefined;
}

export interface ListKey {
  readonly name: string;
  /** The beginning of the key in the path element: `"name":`. */
  readonly prefix: string;
  /** The value of the key in items that omit it. */
  readonly default: unknown;
}

const STRING: ScalarApplyType = { kind: 'scalar', scalar: 'string' };
const NUMERIC: ScalarApplyType = { kind: 'scalar', scalar: 'numeric' };
const BOOLEAN: ScalarApplyType = { kind: 'scalar', scalar: 'boolean' };
const UNTYPED: ScalarApplyType = { kind: 'scalar', scalar: 'untyped' };
export const DEDUCED: DeducedApplyType = { kind: 'deduced', object: false };
const DEDUCED_OBJECT: DeducedApplyType = { kind: 'deduced', object: true };
const ATOMIC_JSON: AtomicApplyType = { kind: 'atomic', inner: DEDUCED };

const compiledMessages = new WeakMap<Message, StructApplyType>();

export function compileMessage(message: Message): StructApplyType {
  const known = compiledMessages.get(message);
  if (known) return known;
  const fields: StructField[] = [];
  const byName = new Map<string, StructField>();
  const unknown = message.unknownFields && compileType(message.unknownFields);
  const compiled: StructApplyType = { kind: 'struct', fields, byName, unknown };
  // Stored before the fields are compiled: a message may contain itself.
  compiledMessages.set(message, compiled);
  const declared: { name: string; type: Type | undefined }[] = message.fields.map(({ name, type }) => ({ name, type }));
  if (message.object) declared.push({ name: 'apiVersion', type: undefined }, { name: 'kind', type: undefined });
  declared.sort((a, b) => compareText(a.name, b.name));
  for (const { name, type } of declared) {
    const field: StructField = {
      name,
      element: `f:${name}`,
      type: type ? compileType(type) : STRING,
      order: fields.length,
    };
    fields.push(field);
    byName.set(name, field);
  }
  return compiled;
}

function compileType(type: Type): ApplyType {
  switch (type.kind) {
    case 'scalar':
      return compileScalar(type);
    case 'message':
      return type.atomic ? { kind: 'atomic', inner: compileMessage(type) } : compileMessage(type);
    case 'map': {
      const map: MapApplyType = { kind: 'map', value: compileType(type.value) };
      return type.atomic ? { kind: 'atomic', inner: map } : map;
    }
    case 'list':
      return compileList(type);
    case 'union':
      return DEDUCED;
  }
}

function compileScalar(type: ScalarType): ApplyType {
  switch (type.scalar) {
    case 'string':
    case 'bytes':
    case 'Duration':
      return STRING;
    case 'int32':
    case 'int64':
    case 'double':
      return NUMERIC;
    case 'bool':
      return BOOLEAN;
    case 'Quantity':
    case 'IntOrString':
    case 'Time':
    case 'MicroTime':
      return UNTYPED;
    case 'RawExtension':
      return ATOMIC_JSON;
    case 'JSON':
      return DEDUCED;
    case 'FieldsV1':
      return DEDUCED_OBJECT;
  }
}

function compileList(type: ListType): ApplyType {
  const item = compileType(type.element);
  if (type.listType === 'atomic') return { kind: 'atomic', inner: { kind: 'list', item, keys: undefined } };
  const keys = type.keys.map((name): ListKey => {
    const field = type.element.kind === 'message' ? type.element.byName.get(name) : undefined;
    return { name, prefix: `${jsonText(name)}:`, default: field && keyDefault(field, type.element) };
  });
  keys.sort((a, b) => compareText(a.name, b.name));
  return { kind: 'list', item, keys: type.listType === 'map' ? keys : [] };
}

/** Fields without omitempty default to their zero value, and so does the name of a LocalObjectReference. */
function keyDefault(field: Field, owner: Type): unknown {
  if (field.default !== undefined) return field.default;
  if (owner.kind === 'message' && owner.fullName === 'io.k8s.api.core.v1.LocalObjectReference') return '';
  if (!field.keep || field.pointer || field.type.kind !== 'scalar') return undefined;
  const type = compileScalar(field.type);
  if (type === STRING) return '';
  if (type === NUMERIC) return 0;
  return type === BOOLEAN ? false : undefined;
}
