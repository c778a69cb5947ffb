/** CEL types: the checker's representation, assignability and the text in error messages. */
export type CelType = SimpleType | TypeOf | ListOf | MapOf | ObjectType | OpaqueType | ParameterType;

export type SimpleKind =
  | 'dyn'
  | 'error'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration';

/** Size limits from a schema, for cost estimation. */
interface Sized {
  /** The maximum number of characters, bytes, elements or entries. */
  readonly maxElements?: number;
  /** The minimum size of a value as JSON, in bytes. */
  readonly minSize?: number;
}

export interface SimpleType extends Sized {
  readonly kind: SimpleKind;
}

/** The type of a type: `type(int)`. */
export interface TypeOf extends Sized {
  readonly kind: 'type';
  /** Absent for the type `type` itself. */
  readonly of?: CelType;
}

export interface ListOf extends Sized {
  readonly kind: 'list';
  readonly element: CelType;
}

export interface MapOf extends Sized {
  readonly kind: 'map';
  readonly key: CelType;
  readonly value: CelType;
}

/** An object with fields, by their escaped names. */
export interface ObjectType extends Sized {
  readonly kind: 'object';
  readonly name: string;
  readonly fields: ReadonlyMap<string, ObjectField>;
}

export interface ObjectField {
  readonly type: CelType;
  /** The name in the data. */
  readonly name: string;
}

/** A type of a library; `optional_type` has a parameter. */
export interface OpaqueType extends Sized {
  readonly kind: 'opaque';
  readonly name: string;
  readonly parameters: readonly CelType[];
}

export interface ParameterType extends Sized {
  readonly kind: 'parameter';
  readonly name: string;
}

const simple = (kind: SimpleKind): SimpleType => ({ kind });

export const DYN = simple('dyn');
export const ERROR = simple('error');
export const BOOL = simple('bool');
export const INT = simple('int');
export const UINT = simple('uint');
export const DOUBLE = simple('double');
export const STRING = simple('string');
export const BYTES = simple('bytes');
export const NULL = simple('null');
export const TIMESTAMP = simple('timestamp');
export const DURATION = simple('duration');
export const TYPE: TypeOf = { kind: 'type' };
export const A: ParameterType = { kind: 'parameter', name: 'A' };
export const B: ParameterType = { kind: 'parameter', name: 'B' };

export const typeOf = (of: CelType): TypeOf => ({ kind: 'type', of });
export const listOf = (element: CelType): ListOf => ({ kind: 'list', element });
export const mapOf = (key: CelType, value: CelType): MapOf => ({ kind: 'map', key, value });
export const opaque = (name: string, ...parameters: CelType[]): OpaqueType => ({ kind: 'opaque', name, parameters });
export const optionalOf = (type: CelType): OpaqueType => opaque('optional_type', type);
export const isOptional = (type: CelType): type is OpaqueType =>
  type.kind === 'opaque' && type.name === 'optional_type';

const TYPE_NAMES: Partial<Record<SimpleKind, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  error: '!error!',
};

/** The names of types at run time, where they differ from those in messages of the checker. */
export const RUNTIME_NAMES: Readonly<Record<string, string>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

export const typeText = (type: CelType): string => textOf(type, TYPE_NAMES);

/** In messages about the elements of a literal, times have their short names. */
export const literalText = (type: CelType): string => textOf(type, {});

function textOf(type: CelType, names: Partial<Record<SimpleKind, string>>): string {
  const inner = (one: CelType): string => textOf(one, names);
  switch (type.kind) {
    case 'list':
      return `list(${inner(type.element)})`;
    case 'map':
      return `map(${inner(type.key)}, ${inner(type.value)})`;
    case 'object':
      return type.name;
    case 'parameter':
      return type.name;
    case 'type':
      return type.of ? `type(${inner(type.of)})` : 'type';
    case 'opaque':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(inner).join(', ')})`;
    default:
      return names[type.kind] ?? type.kind;
  }
}

/** The types that type parameters are bound to. */
export type Substitution = Map<string, CelType>;

export function substitute(type: CelType, known: Substitution): CelType {
  switch (type.kind) {
    case 'parameter': {
      const found = known.get(type.name);
      return found ? substitute(found, known) : type;
    }
    case 'list':
      return mentionsParameter(type) ? { ...type, element: substitute(type.element, known) } : type;
    case 'map':
      return mentionsParameter(type)
        ? { ...type, key: substitute(type.key, known), value: substitute(type.value, known) }
        : type;
    case 'type':
      return type.of && mentionsParameter(type) ? { ...type, of: substitute(type.of, known) } : type;
    case 'opaque':
      return mentionsParameter(type)
        ? { ...type, parameters: type.parameters.map((one) => substitute(one, known)) }
        : type;
    default:
      return type;
  }
}

function mentionsParameter(type: CelType): boolean {
  if (type.kind === 'parameter') return true;
  if (type.kind === 'list') return mentionsParameter(type.element);
  if (type.kind === 'map') return mentionsParameter(type.key) || mentionsParameter(type.value);
  if (type.kind === 'type') return type.of !== undefined && mentionsParameter(type.of);
  return type.kind === 'opaque' && type.parameters.some(mentionsParameter);
}

/** Replaces unbound type parameters by dyn. */
export function closed(type: CelType): CelType {
  if (!mentionsParameter(type)) return type;
  if (type.kind === 'parameter') return DYN;
  if (type.kind === 'list') return { ...type, element: closed(type.element) };
  if (type.kind === 'map') return { ...type, key: closed(type.key), value: closed(type.value) };
  if (type.kind === 'type') return type.of ? { ...type, of: closed(type.of) } : type;
  return type.kind === 'opaque' ? { ...type, parameters: type.parameters.map(closed) } : type;
}

/** Whether a value of type `given` is accepted as `wanted`. Binds type parameters in `known`. */
export function isAssignable(wanted: CelType, given: CelType, known: Substitution): boolean {
  const [w, g] = [resolve(wanted, known), resolve(given, known)];
  if (w.kind === 'parameter') return bind(w, g, known);
  if (g.kind === 'parameter') return bind(g, w, known);
  if (w.kind === 'dyn' || g.kind === 'dyn' || w.kind === 'error' || g.kind === 'error') return true;
  if (g.kind === 'null') return w.kind === 'null' || isNullable(w);
  if (w.kind === 'null') return isNullable(g);
  if (w.kind === 'list') return g.kind === 'list' && isAssignable(w.element, g.element, known);
  if (w.kind === 'map')
    return g.kind === 'map' && isAssignable(w.key, g.key, known) && isAssignable(w.value, g.value, known);
  if (w.kind === 'object') return g.kind === 'object' && g.name === w.name;
  if (w.kind === 'opaque') {
    if (g.kind !== 'opaque' || g.name !== w.name) return false;
    return w.parameters.every((parameter, i) => isAssignable(parameter, g.parameters[i] ?? DYN, known));
  }
  return w.kind === g.kind;
}

const isNullable = (type: CelType): boolean =>
  type.kind === 'object' || type.kind === 'timestamp' || type.kind === 'duration' || type.kind === 'opaque';

function resolve(type: CelType, known: Substitution): CelType {
  let at = type;
  while (at.kind === 'parameter') {
    const next = known.get(at.name);
    if (!next) return at;
    at = next;
  }
  return at;
}

function bind(parameter: ParameterType, type: CelType, known: Substitution): boolean {
  if (type.kind === 'parameter' && type.name === parameter.name) return true;
  if (occurs(parameter, type, known)) return false;
  known.set(parameter.name, type);
  return true;
}

function occurs(parameter: ParameterType, type: CelType, known: Substitution): boolean {
  const at = resolve(type, known);
  if (at.kind === 'parameter') return at.name === parameter.name;
  if (at.kind === 'list') return occurs(parameter, at.element, known);
  if (at.kind === 'map') return occurs(parameter, at.key, known) || occurs(parameter, at.value, known);
  if (at.kind === 'type') return at.of !== undefined && occurs(parameter, at.of, known);
  return at.kind === 'opaque' && at.parameters.some((one) => occurs(parameter, one, known));
}

let fresh = 0;

/** Copies with fresh type parameters, so that two calls of a function bind theirs independently. */
export function instantiate(types: readonly CelType[]): CelType[] {
  const renamed: Substitution = new Map();
  const number = fresh++;
  const rename = (type: CelType): CelType => {
    if (!mentionsParameter(type)) return type;
    if (type.kind === 'parameter') {
      let next = renamed.get(type.name);
      if (!next) renamed.set(type.name, (next = { kind: 'parameter', name: `${type.name}%${number}` }));
      return next;
    }
    if (type.kind === 'list') return { ...type, element: rename(type.element) };
    if (type.kind === 'map') return { ...type, key: rename(type.key), value: rename(type.value) };
    if (type.kind === 'type') return type.of ? { ...type, of: rename(type.of) } : type;
    return type.kind === 'opaque' ? { ...type, parameters: type.parameters.map(rename) } : type;
  };
  return types.map(rename);
}
