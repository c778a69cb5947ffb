/** Encodes scalars from their JSON form to protobuf. */
import type { Scalar } from '../../api/index.ts';
import { goJsonText, parseDurationNanos } from '../../base/index.ts';
import { FIXED64, LENGTH_DELIMITED, VARINT } from './reader.ts';
import { timestampOf, type Timestamp } from './timestamp.ts';
import type { BackwardWriter } from './writer.ts';

/** Writes a value, with its length if it is delimited. A value of the wrong type is written as the zero value. */
export type WriteValue = (writer: BackwardWriter, value: unknown) => void;

export interface ScalarEncoding {
  readonly wireType: number;
  readonly write: WriteValue;
}

const INT_OR_STRING_IS_STRING = 1;

const writeInt: WriteValue = (writer, value) => writer.int(typeof value === 'number' ? Math.trunc(value) : 0);

export const writeString: WriteValue = (writer, value) => {
  if (typeof value === 'string' && value !== '') writer.string(value);
  else writer.byte(0);
};

const writeBool: WriteValue = (writer, value) => writer.byte(value === true ? 1 : 0);

const writeDouble: WriteValue = (writer, value) => writer.double(typeof value === 'number' ? value : 0);

/** In JSON bytes are base64. */
const writeBytes: WriteValue = (writer, value) => {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
  if (bytes) writer.bytes(bytes);
  writer.varint(bytes?.length ?? 0);
};

/** { string = 1 } */
const writeQuantity: WriteValue = (writer, value) => {
  const mark = writer.mark();
  writer.string(typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '0');
  writer.byte(0x0a);
  writer.length(mark);
};

/** { type = 1, intVal = 2, strVal = 3 } */
const writeIntOrString: WriteValue = (writer, value) => {
  const mark = writer.mark();
  const isString = typeof value === 'string';
  writer.string(isString ? value : '');
  writer.byte(0x1a);
  writeInt(writer, value);
  writer.byte(0x10);
  writer.byte(isString ? INT_OR_STRING_IS_STRING : 0);
  writer.byte(0x08);
  writer.length(mark);
};

/** { seconds = 1, nanos = 2 }, and nothing for the zero time. */
function writeTimestamp(writer: BackwardWriter, timestamp: Timestamp | undefined, nanos: number): void {
  if (!timestamp) {
    writer.byte(0);
    return;
  }
  const mark = writer.mark();
  writer.int(nanos);
  writer.byte(0x10);
  writer.int(timestamp.seconds);
  writer.byte(0x08);
  writer.length(mark);
}

const writeTime: WriteValue = (writer, value) =>
  writeTimestamp(writer, typeof value === 'string' ? timestampOf(value) : undefined, 0);

const writeMicroTime: WriteValue = (writer, value) => {
  const timestamp = typeof value === 'string' ? timestampOf(value) : undefined;
  writeTimestamp(writer, timestamp, timestamp ? timestamp.nanos - (timestamp.nanos % 1000) : 0);
};

/**
 * { raw = 1 }: any JSON, as the text that Go's encoder makes of it, because Go programs compare these bytes; nothing for
 * null.
 */
const writeRaw: WriteValue = (writer, value) => {
  const mark = writer.mark();
  if (value !== undefined && value !== null) {
    writer.string(goJsonText(value));
    writer.byte(0x0a);
  }
  writer.length(mark);
};

/** { duration = 1 }, in nanoseconds. */
const writeDuration: WriteValue = (writer, value) => {
  const mark = writer.mark();
  writer.int(typeof value === 'string' ? Number(parseDurationNanos(value)) : 0);
  writer.byte(0x08);
  writer.length(mark);
};

const delimited = (write: WriteValue): ScalarEncoding => ({ wireType: LENGTH_DELIMITED, write });

export const scalarEncodings: Readonly<Record<Scalar, ScalarEncoding>> = {
  string: delimited(writeString),
  bool: { wireType: VARINT, write: writeBool },
  int32: { wireType: VARINT, write: writeInt },
  int64: { wireType: VARINT, write: writeInt },
  double: { wireType: FIXED64, write: writeDouble },
  bytes: delimited(writeBytes),
  Quantity: delimited(writeQuantity),
  IntOrString: delimited(writeIntOrString),
  Time: delimited(writeTime),
  MicroTime: delimited(writeMicroTime),
  Duration: delimited(writeDuration),
  RawExtension: delimited(writeRaw),
  JSON: delimited(writeRaw),
  FieldsV1: delimited(writeRaw),
};
