/** Decodes messages from protobuf. */
import type { Field, ListType, MapType, Message, Type, UnionType } from '../../api/index.ts';
import { setOwn } from '../../base/index.ts';
import { badRequest } from '../errors/index.ts';
import { readFields, scalarDecodings, type ReadValue } from './decode-scalar.ts';
import { FIXED64, LENGTH_DELIMITED, Reader, VARINT } from './reader.ts';

type JsonObject = Record<string, unknown>;

/** Reads one occurrence of a field into the slots of its message. */
type ReadField = (reader: Reader, wireType: number, end: number, slots: unknown[], base: number) => void;

/**
 * A message compiled into readers by field number. Values are collected in slots, one per JSON field in declared
 * order (an inlined message fills a range of its parent's slots), and then become the canonical object: zero values
 * are dropped unless the field has no omitempty, and messages that are not pointers are always present.
 */
export class MessageDecoder {
  readonly #readers: (ReadField | undefined)[] = [];
  readonly #slots: SlotRule[] = [];

  constructor(readonly message: Message) {}

  compile(): void {
    for (const field of this.message.fields) this.#slots.push(slotRule(this.message, field));
    let slot = 0;
    for (const field of this.message.wireFields) {
      this.#readers[field.number] = compileField(field, slot);
      slot += field.inline && field.type.kind === 'message' ? field.type.fields.length : 1;
    }
  }

  /** Reads the fields up to `end` into the canonical object. */
  read(reader: Reader, end: number): JsonObject {
    const slots = new Array<unknown>(this.#slots.length);
    this.readInto(reader, end, slots, 0);
    return this.#build(slots);
  }

  readInto(reader: Reader, end: number, slots: unknown[], base: number): void {
    const readers = this.#readers;
    reader.enter();
    while (reader.position < end) {
      const tag = reader.varint(end);
      const read = readers[tag >>> 3];
      if (read) read(reader, tag & 7, end, slots, base);
      else if (tag >>> 3 === 0) throw badRequest(`proto: ${this.message.name}: illegal tag 0 (wire type ${tag})`);
      else reader.skip(tag & 7, end);
    }
    reader.leave();
  }

  #build(slots: readonly unknown[]): JsonObject {
    const object: JsonObject = {};
    const rules = this.#slots;
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i]!;
      const value = slots[i];
      if (value === undefined) {
        if (rule.absent) object[rule.name] = rule.absent();
      } else if (value !== rule.dropped && value !== rule.alsoDropped) {
        object[rule.name] = value;
      }
    }
    return object;
  }
}

/** How a field is written to the canonical object. */
interface SlotRule {
  readonly name: string;
  /** Creates the value of a field that is not in the bytes; undefined if it stays absent. */
  readonly absent: (() => unknown) | undefined;
  /** The zero value that is dropped. */
  readonly dropped: unknown;
  readonly alsoDropped: unknown;
}

/** Equal to no decoded value. */
const NONE = Symbol('none');

function slotRule(message: Message, field: Field): SlotRule {
  const { name, type, pointer, keep, omitZero } = field;
  const rule = { name, absent: undefined, dropped: NONE, alsoDropped: NONE };
  if (pointer) return { ...rule, absent: keep ? () => null : undefined, dropped: keep ? NONE : null };
  if (type.kind === 'list' || type.kind === 'map') {
    const isItemsOfList = message.object && name === 'items';
    return { ...rule, absent: isItemsOfList ? () => [] : keep ? () => null : undefined };
  }
  if (type.kind === 'message') {
    return { ...rule, absent: omitZero ? undefined : () => decoderOf(type).read(NO_BYTES, 0) };
  }
  if (type.kind === 'union') return rule;
  const { scalar } = type;
  if (scalar === 'bytes') return { ...rule, absent: keep ? () => null : undefined, dropped: keep ? NONE : '' };
  const zero = scalarZero(scalar);
  if (STRUCT_ZEROS.has(scalar)) {
    return omitZero ? { ...rule, dropped: zero } : { ...rule, absent: () => zero };
  }
  return keep ? { ...rule, absent: () => zero } : { ...rule, dropped: zero };
}

/** Scalars that are structs in Go and are written even if they are zero. */
const STRUCT_ZEROS: ReadonlyMap<string, unknown> = new Map(
  Object.entries<unknown>({
    Quantity: '0',
    IntOrString: 0,
    Time: null,
    MicroTime: null,
    Duration: '0s',
    RawExtension: null,
    JSON: null,
    FieldsV1: null,
  }),
);

function scalarZero(scalar: string): unknown {
  if (STRUCT_ZEROS.has(scalar)) return STRUCT_ZEROS.get(scalar);
  return scalar === 'bool' ? false : scalar === 'string' ? '' : 0;
}

const NO_BYTES = new Reader(Buffer.alloc(0));
const decoders = new WeakMap<Message, MessageDecoder>();

export function decoderOf(message: Message): MessageDecoder {
  let decoder = decoders.get(message);
  if (!decoder) {
    decoder = new MessageDecoder(message);
    decoders.set(message, decoder);
    decoder.compile();
  }
  return decoder;
}

const wrongWireType = (name: string, wireType: number) =>
  badRequest(`proto: wrong wireType = ${wireType} for field ${name}`);

function compileField(field: Field, slot: number): ReadField {
  const { name, type } = field;
  if (field.inline && type.kind === 'message') {
    const decoder = decoderOf(type);
    return (reader, wireType, end, slots, base) => {
      if (wireType !== LENGTH_DELIMITED) throw wrongWireType(name, wireType);
      decoder.readInto(reader, reader.delimited(end), slots, base + slot);
    };
  }
  if (type.kind === 'list' && !type.wrapped) return compileList(name, type, slot);
  if (type.kind === 'map') return compileMap(name, type, slot);
  const { wireType: expected, read } = valueDecoding(type);
  return (reader, wireType, end, slots, base) => {
    if (wireType !== expected) throw wrongWireType(name, wireType);
    slots[base + slot] = read(reader, end);
  };
}

function compileList(name: string, type: ListType, slot: number): ReadField {
  const { wireType: expected, read } = valueDecoding(type.element);
  const packable = expected === VARINT || expected === FIXED64;
  return (reader, wireType, end, slots, base) => {
    const list = (slots[base + slot] ??= []) as unknown[];
    if (wireType === expected) {
      list.push(read(reader, end));
    } else if (packable && wireType === LENGTH_DELIMITED) {
      const valueEnd = reader.delimited(end);
      while (reader.position < valueEnd) list.push(read(reader, valueEnd));
    } else {
      throw wrongWireType(name, wireType);
    }
  };
}

function compileMap(name: string, type: MapType, slot: number): ReadField {
  const { wireType: expected, read } = valueDecoding(type.value);
  const absent = absentMapValue(type.value);
  return (reader, wireType, end, slots, base) => {
    if (wireType !== LENGTH_DELIMITED) throw wrongWireType(name, wireType);
    const map = (slots[base + slot] ??= {}) as JsonObject;
    const valueEnd = reader.delimited(end);
    let key = '';
    let value: unknown;
    while (reader.position < valueEnd) {
      const tag = reader.varint(valueEnd);
      if (tag === 0x0a) key = reader.string(valueEnd);
      else if (tag === ((2 << 3) | expected)) value = read(reader, valueEnd);
      else reader.skip(tag & 7, valueEnd);
    }
    setOwn(map, key, value === undefined ? absent() : value);
  };
}

function absentMapValue(type: Type): () => unknown {
  if (type.kind === 'message') return () => decoderOf(type).read(NO_BYTES, 0);
  if (type.kind === 'list') return () => [];
  if (type.kind === 'scalar') return () => (type.scalar === 'bytes' ? '' : scalarZero(type.scalar));
  return () => null;
}

interface ValueDecoding {
  readonly wireType: number;
  readonly read: ReadValue;
}

function valueDecoding(type: Type): ValueDecoding {
  switch (type.kind) {
    case 'scalar':
      return scalarDecodings[type.scalar];
    case 'message': {
      const decoder = decoderOf(type);
      return { wireType: LENGTH_DELIMITED, read: (reader, end) => decoder.read(reader, reader.delimited(end)) };
    }
    case 'union':
      return { wireType: LENGTH_DELIMITED, read: unionReader(type) };
    case 'list':
      return { wireType: LENGTH_DELIMITED, read: wrappedListReader(type) };
    case 'map':
      throw new Error(`protobuf: a map cannot be an element of a list or map (${type.goType})`);
  }
}

function wrappedListReader(type: ListType): ReadValue {
  const { wireType: expected, read } = valueDecoding(type.element);
  return (reader, end) => {
    const list: unknown[] = [];
    readFields(reader, end, (number, wireType, valueEnd) => {
      if (number !== 1 || wireType !== expected) return false;
      list.push(read(reader, valueEnd));
      return true;
    });
    return list;
  };
}

function unionReader(type: UnionType): ReadValue {
  const decoder = decoderOf(type.schema);
  const orBool = type.union === 'JSONSchemaPropsOrBool';
  const orArray = type.union === 'JSONSchemaPropsOrArray';
  const readSchema = (reader: Reader, end: number) => decoder.read(reader, reader.delimited(end));
  return (reader, end) => {
    let schema: JsonObject | undefined;
    let allows = false;
    const list: unknown[] = [];
    readFields(reader, end, (number, wireType, valueEnd) => {
      if (orBool && number === 1 && wireType === VARINT) allows = reader.int(valueEnd) !== 0;
      else if (wireType !== LENGTH_DELIMITED || number < 1 || number > 2) return false;
      else if (number === (orBool ? 2 : 1)) schema = readSchema(reader, valueEnd);
      else if (orBool) return false;
      else list.push(orArray ? readSchema(reader, valueEnd) : reader.string(valueEnd));
      return true;
    });
    if (orBool) return schema ?? allows;
    if (list.length > 0) return list;
    return schema ?? null;
  };
}

/** Decodes a message without envelope. */
export function decodeMessage(message: Message, bytes: Uint8Array): Record<string, unknown> {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return decoderOf(message).read(new Reader(buffer), buffer.length);
}
