/** Encodes messages to protobuf. */
import type { Field, ListType, MapType, Message, Type, UnionType } from '../../api/index.ts';
import { isRecord } from '../../base/index.ts';
import { scalarEncodings, writeString, type WriteValue } from './encode-scalar.ts';
import { LENGTH_DELIMITED } from './reader.ts';
import { BackwardWriter } from './writer.ts';

type JsonObject = Record<string, unknown>;
type WriteField = (writer: BackwardWriter, object: JsonObject) => void;

/**
 * A message compiled into the writers of its fields, from the last number to the first, because the writer works
 * backwards. As in upstream's generated code, scalars and messages that are not pointers are always written, even if
 * they are zero; pointers, lists, maps and bytes only if they are present.
 */
export class MessageEncoder {
  readonly #writers: WriteField[] = [];

  constructor(readonly message: Message) {}

  compile(): void {
    const fields = [...this.message.wireFields].sort((a, b) => b.number - a.number);
    for (const field of fields) this.#writers.push(compileField(field));
  }

  /** Writes the fields, without tag and length. */
  write(writer: BackwardWriter, object: JsonObject): void {
    const writers = this.#writers;
    for (let i = 0; i < writers.length; i++) writers[i]!(writer, object);
  }
}

const NOTHING: JsonObject = Object.freeze({});
const encoders = new WeakMap<Message, MessageEncoder>();

export function encoderOf(message: Message): MessageEncoder {
  let encoder = encoders.get(message);
  if (!encoder) {
    encoder = new MessageEncoder(message);
    encoders.set(message, encoder);
    encoder.compile();
  }
  return encoder;
}

function compileField(field: Field): WriteField {
  const { name, type } = field;
  if (type.kind === 'list' && !type.wrapped) return compileList(field, type);
  if (type.kind === 'map') return compileMap(field, type);
  const { wireType, write } = valueEncoding(type);
  const tag = (field.number << 3) | wireType;
  if (field.inline) {
    return (writer, object) => {
      write(writer, object);
      writer.varint(tag);
    };
  }
  const optional = field.pointer || type.kind === 'list' || (type.kind === 'scalar' && type.scalar === 'bytes');
  if (optional) {
    return (writer, object) => {
      const value = object[name];
      if (value === undefined || value === null) return;
      write(writer, value);
      writer.varint(tag);
    };
  }
  return (writer, object) => {
    write(writer, object[name]);
    writer.varint(tag);
  };
}

function compileList(field: Field, type: ListType): WriteField {
  const { name } = field;
  const { wireType, write } = valueEncoding(type.element);
  const tag = (field.number << 3) | wireType;
  return (writer, object) => {
    const list = object[name];
    if (!Array.isArray(list)) return;
    for (let i = list.length - 1; i >= 0; i--) {
      write(writer, list[i]);
      writer.varint(tag);
    }
  };
}

/** A map is a list of { key = 1, value = 2 }, in the order of the keys. */
function compileMap(field: Field, type: MapType): WriteField {
  const { name } = field;
  const { wireType, write } = valueEncoding(type.value);
  const tag = (field.number << 3) | LENGTH_DELIMITED;
  const valueTag = (2 << 3) | wireType;
  const isBytes = type.value.kind === 'scalar' && type.value.scalar === 'bytes';
  return (writer, object) => {
    const map = object[name];
    if (!isRecord(map)) return;
    const keys = sortedKeys(map);
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i]!;
      const value = map[key];
      const mark = writer.mark();
      if (!isBytes || value !== null) {
        write(writer, value);
        writer.byte(valueTag);
      }
      writeString(writer, key);
      writer.byte(0x0a);
      writer.length(mark);
      writer.varint(tag);
    }
  };
}

interface ValueEncoding {
  readonly wireType: number;
  readonly write: WriteValue;
}

function valueEncoding(type: Type): ValueEncoding {
  switch (type.kind) {
    case 'scalar':
      return scalarEncodings[type.scalar];
    case 'message':
      return { wireType: LENGTH_DELIMITED, write: messageWriter(encoderOf(type)) };
    case 'union':
      return { wireType: LENGTH_DELIMITED, write: unionWriter(type) };
    case 'list':
      return { wireType: LENGTH_DELIMITED, write: wrappedListWriter(type) };
    case 'map':
      throw new Error(`protobuf: a map cannot be an element of a list or map (${type.goType})`);
  }
}

function messageWriter(encoder: MessageEncoder): WriteValue {
  return (writer, value) => {
    const mark = writer.mark();
    encoder.write(writer, isRecord(value) ? value : NOTHING);
    writer.length(mark);
  };
}

/** { items = 1 } */
function wrappedListWriter(type: ListType): WriteValue {
  const { wireType, write } = valueEncoding(type.element);
  const tag = (1 << 3) | wireType;
  return (writer, value) => {
    const mark = writer.mark();
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    for (let i = list.length - 1; i >= 0; i--) {
      write(writer, list[i]);
      writer.byte(tag);
    }
    writer.length(mark);
  };
}

/**
 * OrArray { schema = 1, jSONSchemas = 2 }, OrBool { allows = 1, schema = 2 }, OrStringArray { schema = 1, property = 2 }.
 */
function unionWriter(type: UnionType): WriteValue {
  const writeSchema = messageWriter(encoderOf(type.schema));
  const orBool = type.union === 'JSONSchemaPropsOrBool';
  const writeElement = type.union === 'JSONSchemaPropsOrArray' ? writeSchema : writeString;
  return (writer, value) => {
    const mark = writer.mark();
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    for (let i = list.length - 1; i >= 0; i--) {
      writeElement(writer, list[i]);
      writer.byte(0x12);
    }
    const isSchema = isRecord(value);
    if (isSchema) {
      writeSchema(writer, value);
      writer.byte(orBool ? 0x12 : 0x0a);
    }
    if (orBool) {
      writer.byte(isSchema || value === true ? 1 : 0);
      writer.byte(0x08);
    }
    writer.length(mark);
  };
}

/** In the order of their UTF-8 bytes. */
function sortedKeys(map: JsonObject): string[] {
  const keys = Object.keys(map);
  for (let i = 1; i < keys.length; i++) {
    if (compareUtf8(keys[i - 1]!, keys[i]!) > 0) return keys.sort(compareUtf8);
  }
  return keys;
}

/** UTF-16 sorts like UTF-8 except for surrogates, which are the highest code points. */
function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const xIsSurrogate = x >= 0xd800 && x <= 0xdfff;
    const yIsSurrogate = y >= 0xd800 && y <= 0xdfff;
    if (xIsSurrogate !== yIsSurrogate && x >= 0xd800 && y >= 0xd800) return xIsSurrogate ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

const sharedWriter = new BackwardWriter();

/** Runs `write` on the shared writer and returns the bytes. `write` must not call this function again. */
export function encodeWith(write: (writer: BackwardWriter) => void): Buffer {
  sharedWriter.reset();
  write(sharedWriter);
  return sharedWriter.take();
}

/** Encodes a message without envelope. */
export function encodeMessage(message: Message, object: unknown): Buffer {
  const encoder = encoderOf(message);
  return encodeWith((writer) => encoder.write(writer, isRecord(object) ? object : NOTHING));
}
