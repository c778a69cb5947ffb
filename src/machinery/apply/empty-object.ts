/** The object that a create is compared with: only the fields that its type always writes. */
import type { Field, Message } from '../../api/index.ts';

const emptyValues = new WeakMap<Message, Readonly<Record<string, unknown>>>();

export function emptyObject(message: Message): Readonly<Record<string, unknown>> {
  const known = emptyValues.get(message);
  if (known) return known;
  const empty: Record<string, unknown> = {};
  for (const field of message.fields) {
    const value = emptyValue(field);
    if (value !== undefined) empty[field.name] = value;
  }
  if (message.object) empty['metadata'] ??= {};
  emptyValues.set(message, empty);
  return empty;
}

function emptyValue(field: Field): unknown {
  const { type } = field;
  if (field.pointer || type.kind === 'list' || type.kind === 'map' || type.kind === 'union')
    return field.keep ? null : undefined;
  if (type.kind === 'message') return field.omitZero ? undefined : emptyObject(type);
  switch (type.scalar) {
    case 'Time':
    case 'MicroTime':
      return field.omitZero ? undefined : null;
    case 'RawExtension':
    case 'JSON':
    case 'FieldsV1':
    case 'bytes':
      return field.keep ? null : undefined;
    case 'Quantity':
      return field.omitZero ? undefined : '0';
    case 'IntOrString':
      return field.keep ? 0 : undefined;
    case 'Duration':
      return field.omitZero ? undefined : '0s';
    case 'bool':
      return field.keep ? false : undefined;
    case 'string':
      return field.keep ? '' : undefined;
    default:
      return field.keep ? 0 : undefined;
  }
}
