/** Converts the declared type of a built-in kind, or the schema of a custom one, to a CEL type. */
import { schema, type Message, type ScalarType, type Type } from '../../api/index.ts';
import type { Schema } from '../../machinery/validation/index.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  escapeName,
  INT,
  listOf,
  mapOf,
  type ObjectField,
  type ObjectType,
  schemaType,
  STRING,
  TIMESTAMP,
} from '../index.ts';

const known = new WeakMap<Message, ObjectType>();

export function celTypeOfMessage(message: Message): ObjectType {
  const found = known.get(message);
  if (found) return found;
  const fields = new Map<string, ObjectField>();
  const type: ObjectType = { kind: 'object', name: message.name, fields };
  // Stored before its fields are converted: a message may contain itself.
  known.set(message, type);
  const add = (name: string, of: CelType): void => {
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, { name, type: of });
  };
  if (message.object) for (const name of ['apiVersion', 'kind']) add(name, STRING);
  for (const field of message.fields) add(field.name, celTypeOf(field.type));
  return type;
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The type of a custom resource: its schema, with the whole metadata. */
export function celTypeOfSchema(given: Schema): CelType {
  const type = schemaType(given, true);
  if (type?.kind !== 'object') return DYN;
  const metadata: ObjectField = { name: 'metadata', type: celTypeOfMessage(schema.message(OBJECT_META)) };
  return { ...type, fields: new Map([...type.fields, ['metadata', metadata]]) };
}

function celTypeOf(type: Type): CelType {
  switch (type.kind) {
    case 'scalar':
      return scalarType(type);
    case 'list':
      return listOf(celTypeOf(type.element));
    case 'map':
      return mapOf(STRING, celTypeOf(type.value));
    case 'message':
      return celTypeOfMessage(type);
    case 'union':
      return DYN;
  }
}

function scalarType({ scalar }: ScalarType): CelType {
  switch (scalar) {
    case 'string':
    case 'Duration':
      return STRING;
    case 'bool':
      return BOOL;
    case 'int32':
    case 'int64':
      return INT;
    case 'double':
      return DOUBLE;
    case 'bytes':
      return BYTES;
    case 'Time':
    case 'MicroTime':
      return TIMESTAMP;
    default:
      return DYN;
  }
}
