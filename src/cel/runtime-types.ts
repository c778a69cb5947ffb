/** Dynamic dispatch: whether a value matches the type of a parameter. Elements of lists and maps are not checked. */
import type { CelType } from './types.ts';
import { CelObject, Duration, LibraryValue, Optional, Timestamp, TypeValue, Uint, type Value } from './values.ts';

export function matchesType(value: Value, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'parameter':
    case 'error':
      return true;
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'uint':
      return value instanceof Uint;
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'bytes':
      return value instanceof Uint8Array;
    case 'null':
      return value === null;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'duration':
      return value instanceof Duration;
    case 'type':
      return value instanceof TypeValue;
    case 'list':
      return Array.isArray(value);
    case 'map':
      return value instanceof Map;
    case 'object':
      return value instanceof CelObject;
    case 'opaque':
      if (type.name === 'optional_type') return value instanceof Optional;
      return value instanceof LibraryValue && value.typeName === type.name;
  }
}
