import { LENGTH_DELIMITED, MalformedMessage, VARINT, WireReader, WireWriter } from './protobuf.ts';

/** How values of one protobuf type are written, read and defaulted. */
interface FieldType<T> {
  wireType: number;
  initial: T;
  /** proto3 leaves default values out. */
  isDefault(value: T): boolean;
  write(writer: WireWriter, value: T): void;
  read(reader: WireReader): T;
}

interface Field<T> {
  number: number;
  type: FieldType<T>;
  repeated: boolean;
  initial(): T;
  /** The name in etcd's definition, which its errors mention. */
  goName?: string;
}

type Fields = Record<string, Field<never> | Field<unknown>>;
// The declared type of each field, from the table that declares it.
type MessageOf<F> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

const noBytes = Buffer.alloc(0);

const scalar =
  <T>(type: FieldType<T>) =>
  (number: number): Field<T> => ({ number, type, repeated: false, initial: () => type.initial });

/** The kinds of fields: `name: kind(number)`. */
export const key = scalar<string>({
  wireType: LENGTH_DELIMITED,
  initial: '',
  isDefault: (value) => value === '',
  write: (writer, value) => writer.latin1(value),
  read: (reader) => reader.latin1(),
});
export const text = scalar<string>({
  wireType: LENGTH_DELIMITED,
  initial: '',
  isDefault: (value) => value === '',
  write: (writer, value) => writer.utf8(value),
  read: (reader) => reader.utf8(),
});
export const bytes = scalar<Uint8Array>({
  wireType: LENGTH_DELIMITED,
  initial: noBytes,
  isDefault: (value) => value.length === 0,
  write: (writer, value) => writer.lengthDelimited(value),
  read: (reader) => reader.view(),
});
export const number = scalar<number>({
  wireType: VARINT,
  initial: 0,
  isDefault: (value) => value === 0,
  write: (writer, value) => writer.number(value),
  read: (reader) => reader.number(),
});
export const id = scalar<bigint>({
  wireType: VARINT,
  initial: 0n,
  isDefault: (value) => value === 0n,
  write: (writer, value) => writer.bigint(value),
  read: (reader) => reader.uint64(),
});
export const signedId = scalar<bigint>({
  wireType: VARINT,
  initial: 0n,
  isDefault: (value) => value === 0n,
  write: (writer, value) => writer.bigint(value),
  read: (reader) => reader.int64(),
});
export const flag = scalar<boolean>({
  wireType: VARINT,
  initial: false,
  isDefault: (value) => !value,
  write: (writer, value) => writer.number(value ? 1 : 0),
  read: (reader) => reader.number() !== 0,
});

export function repeated<T>(field: Field<T>): Field<T[]> {
  const { type } = field;
  return { number: field.number, repeated: true, type: type as unknown as FieldType<T[]>, initial: () => [] };
}

export function nested<T extends object>(number: number, message: () => Message<T>): Field<T | undefined> {
  return { number, repeated: false, type: nestedType(message) as FieldType<T | undefined>, initial: () => undefined };
}

export function nestedList<T extends object>(number: number, message: () => Message<T>): Field<T[]> {
  return { number, repeated: true, type: nestedType(message) as unknown as FieldType<T[]>, initial: () => [] };
}

function nestedType<T extends object>(message: () => Message<T>): FieldType<T> {
  return {
    wireType: LENGTH_DELIMITED,
    initial: undefined as unknown as T,
    isDefault: (value) => value === undefined,
    write: (writer, value) => writer.nested(() => message().write(writer, value)),
    read: (reader) => reader.nested((inner) => message().read(inner)),
  };
}

export interface Message<T extends object> {
  encode(value: Partial<T>, options?: { sizeHint?: number; reserve?: number }): Buffer;
  decode(bytes: Uint8Array): T;
  write(writer: WireWriter, value: Partial<T>): void;
  read(reader: WireReader): T;
}

interface CompiledField {
  name: string;
  tag: number;
  field: Field<unknown>;
  type: FieldType<unknown>;
}

/** A message from its name and the table of its fields. Unknown fields are skipped, as protobuf requires. */
export function message<F extends Fields>(messageName: string, fields: F): Message<MessageOf<F>> {
  type Value = MessageOf<F>;
  const compiled = Object.entries(fields).map(([name, declared]): CompiledField => {
    const field = declared as Field<unknown>;
    return { name, tag: field.number * 8 + field.type.wireType, field, type: field.type };
  });
  const byNumber: (CompiledField | undefined)[] = [];
  for (const field of compiled) byNumber[field.field.number] = field;

  const write = (writer: WireWriter, value: Partial<Value>): void => {
    const properties = value as Record<string, unknown>;
    for (const { name, tag, field, type } of compiled) {
      const property = properties[name];
      if (property === undefined) continue;
      if (field.repeated) {
        for (const item of property as unknown[]) {
          writer.number(tag);
          type.write(writer, item);
        }
      } else if (!type.isDefault(property)) {
        writer.number(tag);
        type.write(writer, property);
      }
    }
  };

  const read = (reader: WireReader): Value => {
    const value: Record<string, unknown> = {};
    for (const { name, field } of compiled) value[name] = field.initial();
    while (!reader.done) {
      const tag = reader.number();
      const wireType = tag % 8;
      const number = (tag - wireType) / 8;
      if (number <= 0)
        throw new MalformedMessage(`proto: ${messageName}: illegal tag ${number} (wire type ${wireType})`);
      const found = byNumber[number];
      if (found === undefined) reader.skip(wireType);
      else readField(reader, value, found, wireType);
    }
    return value as Value;
  };
  return {
    write,
    read,
    encode(value, options = {}) {
      const writer = new WireWriter(options.sizeHint, options.reserve);
      write(writer, value);
      return writer.finish();
    },
    decode: (buffer) => read(new WireReader(Buffer.from(buffer.buffer, buffer.byteOffset, buffer.length))),
  };
}

function readField(reader: WireReader, value: Record<string, unknown>, found: CompiledField, wireType: number): void {
  const { name, field, type } = found;
  if (wireType === type.wireType) {
    if (field.repeated) (value[name] as unknown[]).push(type.read(reader));
    else value[name] = type.read(reader);
  } else if (field.repeated && type.wireType === VARINT && wireType === LENGTH_DELIMITED) {
    reader.nested((packed) => {
      while (!packed.done) (value[name] as unknown[]).push(type.read(packed));
    });
  } else {
    throw new MalformedMessage(`proto: wrong wireType = ${wireType} for field ${field.goName ?? goName(name)}`);
  }
}

/** `rangeEnd` is `RangeEnd` in the Go structures that etcd's errors speak of. */
function goName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
