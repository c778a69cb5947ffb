/** Converts JSON values to CEL values, by the type of a schema or without a type. */
import { parseDateText, parseDurationText, parseTimestampText } from './time-text.ts';
import type { CelType, MapOf, ObjectType } from './types.ts';
import { CelError, CelObject, type MapKey, type Value } from './values.ts';

export function typedValue(json: unknown, type: CelType): Value {
  if (json === null || json === undefined) return null;
  switch (type.kind) {
    case 'object':
      return isObject(json) ? new SchemaObject(json, type) : untypedValue(json);
    case 'list':
      return Array.isArray(json) ? json.map((item) => typedValue(item, type.element)) : untypedValue(json);
    case 'map':
      return isObject(json) ? typedMap(json, type) : untypedValue(json);
    case 'int':
      return typeof json === 'number' && Number.isInteger(json) ? BigInt(json) : untypedValue(json);
    case 'double':
      return typeof json === 'number' || typeof json === 'bigint' ? Number(json) : untypedValue(json);
    case 'timestamp':
      return typeof json === 'string'
        ? type.maxElements === 12
          ? parseDateText(json)
          : parseTimestampText(json)
        : untypedValue(json);
    case 'duration':
      return typeof json === 'string' ? parseDurationText(json) : untypedValue(json);
    case 'bytes':
      return typeof json === 'string' ? bytes(json) : untypedValue(json);
    default:
      return untypedValue(json);
  }
}

/** Integral numbers become ints. */
export function untypedValue(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (typeof json !== 'object') return json as Value;
  if (Array.isArray(json)) return json.map(untypedValue);
  return new Map(Object.entries(json).map(([key, value]): [MapKey, Value] => [key, untypedValue(value)]));
}

const isObject = (json: unknown): json is Record<string, unknown> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

function typedMap(json: Record<string, unknown>, { value: type }: MapOf): Value {
  const map = new Map<MapKey, Value>();
  for (const [key, value] of Object.entries(json)) map.set(key, typedValue(value, type));
  return map;
}

function bytes(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new CelError(`invalid base64 data`);
  return Buffer.from(text, 'base64');
}

/** Converts a field when an expression first reads it. */
class SchemaObject extends CelObject {
  readonly #converted = new Map<string, Value>();

  readonly #json: Readonly<Record<string, unknown>>;

  constructor(
    json: Readonly<Record<string, unknown>>,
    readonly type: ObjectType,
  ) {
    super();
    this.#json = json;
  }

  get(name: string): Value | undefined {
    const known = this.#converted.get(name);
    if (known !== undefined) return known;
    const field = this.type.fields.get(name);
    if (!field || !Object.hasOwn(this.#json, field.name)) return undefined;
    const value = typedValue(this.#json[field.name], field.type);
    this.#converted.set(name, value);
    return value;
  }

  fieldNames(): readonly string[] {
    return [...this.type.fields].filter(([, { name }]) => Object.hasOwn(this.#json, name)).map(([name]) => name);
  }
}
