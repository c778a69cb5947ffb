/** Converts the declared type of a built-in kind to a CEL type. */
import type { Message, ScalarType, Type } from '../../api/index.ts';
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
