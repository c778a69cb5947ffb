/**
 * The protobuf form of /openapi/v2 (`openapi.v2.Document` of github.com/google/gnostic), which older clients request.
 * The tables below are its messages: JSON key, field number, content. Maps are lists of { name = 1, value = 2 }.
 * Values of any type and extensions (`x-…`) are encoded as YAML, of which JSON is a subset.
 */
import { isRecord, type JsonObject, type JsonValue } from '../../base/index.ts';
import { BackwardWriter } from '../protobuf/index.ts';

type Write = (writer: BackwardWriter, value: JsonValue) => void;

interface FieldSpec {
  readonly key: string;
  readonly number: number;
  readonly wireType: number;
  readonly repeated: boolean;
  /** Writes the value, with its length if it is delimited. */
  readonly write: Write;
}

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;

const delimited =
  (write: Write): Write =>
  (writer, value) => {
    const mark = writer.mark();
    write(writer, value);
    writer.length(mark);
  };

const field = (key: string, number: number, wireType: number, write: Write, repeated = false): FieldSpec => ({
  key,
  number,
  wireType,
  write,
  repeated,
});

const writeText: Write = (writer, value) => writer.string(String(value));
const text = (key: string, number: number): FieldSpec => field(key, number, DELIMITED, writeText);
const texts = (key: string, number: number): FieldSpec => field(key, number, DELIMITED, writeText, true);
const flag = (key: string, number: number): FieldSpec => field(key, number, VARINT, (writer) => writer.byte(1));
const integer = (key: string, number: number): FieldSpec =>
  field(key, number, VARINT, (writer, value) => writer.int(Number(value)));
const double = (key: string, number: number): FieldSpec =>
  field(key, number, FIXED64, (writer, value) => writer.double(Number(value)));
const one = (key: string, number: number, content: Write): FieldSpec =>
  field(key, number, DELIMITED, delimited(content));
const many = (key: string, number: number, content: Write): FieldSpec =>
  field(key, number, DELIMITED, delimited(content), true);

function writeFieldValue(writer: BackwardWriter, { number, wireType, write }: FieldSpec, value: JsonValue): void {
  write(writer, value);
  writer.varint((number << 3) | wireType);
}

/** A message with these fields; `extensions` is the number of the field for keys with the prefix `x-`. */
function message(fields: readonly FieldSpec[], extensions?: number): Write {
  const descending = [...fields].sort((a, b) => b.number - a.number);
  return (writer, value) => {
    if (!isRecord(value)) return;
    if (extensions !== undefined) writeExtensions(writer, value as JsonObject, extensions);
    for (const spec of descending) {
      const content = value[spec.key] as JsonValue | undefined;
      if (content === undefined || content === null || content === false || content === '') continue;
      if (!spec.repeated) writeFieldValue(writer, spec, content);
      else if (Array.isArray(content))
        for (let i = content.length - 1; i >= 0; i--) writeFieldValue(writer, spec, content[i]!);
    }
  };
}

/** { yaml = 2 } */
const any: Write = (writer, value) => {
  writer.string(`${JSON.stringify(value)}\n`);
  writer.byte(0x12);
};

function writeExtensions(writer: BackwardWriter, value: JsonObject, number: number): void {
  const keys = Object.keys(value).filter((key) => key.startsWith('x-'));
  for (const key of keys.reverse()) {
    const mark = writer.mark();
    writeNamed(writer, key, value[key]!, any);
    writer.length(mark);
    writer.varint((number << 3) | DELIMITED);
  }
}

function writeNamed(writer: BackwardWriter, name: string, value: JsonValue, content: Write): void {
  delimited(content)(writer, value);
  writer.byte(0x12);
  writer.string(name);
  writer.byte(0x0a);
}

/** A map as a list of named values, in field `number`. */
function named(content: Write, number = 1): Write {
  return (writer, value) => {
    if (!isRecord(value)) return;
    for (const key of Object.keys(value).reverse()) {
      const mark = writer.mark();
      writeNamed(writer, key, value[key] as JsonValue, content);
      writer.length(mark);
      writer.varint((number << 3) | DELIMITED);
    }
  };
}

/** A oneof: writes the field that `choose` returns. */
function oneOf(choose: (value: JsonObject) => { readonly number: number; readonly content: Write }): Write {
  return (writer, value) => {
    const { number, content } = choose(value as JsonObject);
    delimited(content)(writer, value);
    writer.varint((number << 3) | DELIMITED);
  };
}

const stringList = message([texts('value', 1)]);
const asValue =
  (content: Write): Write =>
  (writer, value) =>
    content(writer, { value: Array.isArray(value) ? value : [value] });

const limits = (from: number): FieldSpec[] => [
  double('maximum', from),
  flag('exclusiveMaximum', from + 1),
  double('minimum', from + 2),
  flag('exclusiveMinimum', from + 3),
];

const schemaContent: Write = (writer, value) => schema(writer, value);
const schema: Write = message(
  [
    ...[
      text('$ref', 1),
      text('format', 2),
      text('title', 3),
      text('description', 4),
      one('default', 5, any),
      double('multipleOf', 6),
      ...limits(7),
    ],
    ...[
      integer('maxLength', 11),
      integer('minLength', 12),
      text('pattern', 13),
      integer('maxItems', 14),
      integer('minItems', 15),
    ],
    ...[
      flag('uniqueItems', 16),
      integer('maxProperties', 17),
      integer('minProperties', 18),
      texts('required', 19),
      many('enum', 20, any),
    ],
    one('additionalProperties', 21, (writer, value) => {
      if (isRecord(value)) {
        delimited(schemaContent)(writer, value as JsonValue);
        writer.byte(0x0a);
      } else {
        writer.byte(value === true ? 1 : 0);
        writer.byte(0x10);
      }
    }),
    one('type', 22, asValue(stringList)),
    one('items', 23, asValue(message([many('value', 1, schemaContent)]))),
    ...[
      many('allOf', 24, schemaContent),
      one('properties', 25, named(schemaContent)),
      text('discriminator', 26),
      flag('readOnly', 27),
      one('example', 30, any),
    ],
  ],
  31,
);

const jsonReference = message([text('$ref', 1), text('description', 2)]);
const bodyParameter = message(
  [text('description', 1), text('name', 2), text('in', 3), flag('required', 4), one('schema', 5, schema)],
  6,
);
const queryParameter = message(
  [
    flag('required', 1),
    text('in', 2),
    text('description', 3),
    text('name', 4),
    text('type', 6),
    flag('uniqueItems', 20),
  ],
  23,
);
const pathParameter = message(
  [
    flag('required', 1),
    text('in', 2),
    text('description', 3),
    text('name', 4),
    text('type', 5),
    flag('uniqueItems', 19),
  ],
  22,
);
const nonBodyParameter = oneOf((value) =>
  value['in'] === 'path' ? { number: 4, content: pathParameter } : { number: 3, content: queryParameter },
);
const parameter = oneOf((value) =>
  value['in'] === 'body' ? { number: 1, content: bodyParameter } : { number: 2, content: nonBodyParameter },
);
const parametersItem = oneOf((value) =>
  '$ref' in value ? { number: 2, content: jsonReference } : { number: 1, content: parameter },
);

const schemaItem = oneOf(() => ({ number: 1, content: schema }));
const response = message([text('description', 1), one('schema', 2, schemaItem)], 5);
const responses = named(oneOf(() => ({ number: 1, content: response })));

const operation = message(
  [
    ...[
      texts('tags', 1),
      text('summary', 2),
      text('description', 3),
      text('operationId', 5),
      texts('produces', 6),
      texts('consumes', 7),
    ],
    ...[
      many('parameters', 8, parametersItem),
      one('responses', 9, responses),
      texts('schemes', 10),
      flag('deprecated', 11),
    ],
  ],
  13,
);

const METHODS = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };
const pathItem = message(
  [
    ...Object.entries(METHODS).map(([method, number]) => one(method, number, operation)),
    many('parameters', 9, parametersItem),
  ],
  10,
);

const apiKey = message([text('type', 1), text('name', 2), text('in', 3), text('description', 4)], 5);
const info = message([text('title', 1), text('version', 2), text('description', 3)], 7);

const document = message(
  [
    ...[
      text('swagger', 1),
      one('info', 2, info),
      one('paths', 8, named(pathItem, 2)),
      one('definitions', 9, named(schema)),
    ],
    ...[one('parameters', 10, named(parameter)), many('security', 12, named(asValue(stringList)))],
    one('securityDefinitions', 13, named(oneOf(() => ({ number: 2, content: apiKey })))),
  ],
  16,
);

const encoded = (write: Write, value: JsonObject): Buffer => {
  const writer = new BackwardWriter(1024);
  write(writer, value);
  return writer.take();
};

export const encodeGnosticDocument = (swagger: JsonObject): Buffer => encoded(document, swagger);

/** Encodes one path or definition for `joinGnosticDocument`. */
export const encodeGnosticPath = (name: string, item: JsonObject): Buffer =>
  encoded(named(pathItem, 2), { [name]: item });
export const encodeGnosticDefinition = (name: string, definition: JsonObject): Buffer =>
  encoded(named(schema), { [name]: definition });

/** `head` is the document without paths and definitions. Protobuf allows fields in any order. */
export function joinGnosticDocument(
  head: JsonObject,
  paths: readonly Buffer[],
  definitions: readonly Buffer[],
): Buffer {
  return Buffer.concat([
    encodeGnosticDocument(head),
    lengthOf(8, paths),
    ...paths,
    lengthOf(9, definitions),
    ...definitions,
  ]);
}

/** The tag and length of a field whose content is the pieces. */
function lengthOf(number: number, pieces: readonly Buffer[]): Buffer {
  const writer = new BackwardWriter(16);
  writer.varint(pieces.reduce((sum, piece) => sum + piece.length, 0));
  writer.varint((number << 3) | DELIMITED);
  return writer.take();
}
