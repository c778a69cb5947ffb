/** Decodes scalars from protobuf into their JSON form. */
import type { Scalar } from '../../api/index.ts';
import { canonicalQuantity, formatDurationNanos } from '../../base/index.ts';
import { parseJson } from '../decode/index.ts';
import { badRequest } from '../errors/index.ts';
import { FIXED64, LENGTH_DELIMITED, Reader, VARINT } from './reader.ts';
import { isZeroTime, microTimeText, timeText, type Timestamp } from './timestamp.ts';

/** Reads a value, with its length if it is delimited. */
export type ReadValue = (reader: Reader, end: number) => unknown;

export interface ScalarDecoding {
  readonly wireType: number;
  readonly read: ReadValue;
}

/** Reads the fields of a small message. `onField` reads the fields that it knows and returns true for them. */
export function readFields(
  reader: Reader,
  end: number,
  onField: (number: number, wireType: number, end: number) => boolean,
): void {
  const valueEnd = reader.delimited(end);
  reader.enter();
  while (reader.position < valueEnd) {
    const tag = reader.varint(valueEnd);
    if (!onField(tag >>> 3, tag & 7, valueEnd)) reader.skip(tag & 7, valueEnd);
  }
  reader.leave();
}

const readString: ReadValue = (reader, end) => reader.string(end);
const readBool: ReadValue = (reader, end) => reader.int(end) !== 0;
const readInt32: ReadValue = (reader, end) => reader.int(end) | 0;
const readInt64: ReadValue = (reader, end) => reader.int(end);
const readDouble: ReadValue = (reader, end) => reader.double(end);
const readBytes: ReadValue = (reader, end) => reader.bytes(end).toString('base64');

const readQuantity: ReadValue = (reader, end) => {
  let text = '0';
  readFields(reader, end, (number, wireType, valueEnd) => {
    if (number !== 1 || wireType !== LENGTH_DELIMITED) return false;
    text = reader.string(valueEnd);
    return true;
  });
  return canonicalQuantity(text);
};

const readIntOrString: ReadValue = (reader, end) => {
  let type = 0;
  let intVal = 0;
  let strVal = '';
  readFields(reader, end, (number, wireType, valueEnd) => {
    if (number === 1 && wireType === VARINT) type = reader.int(valueEnd);
    else if (number === 2 && wireType === VARINT) intVal = reader.int(valueEnd) | 0;
    else if (number === 3 && wireType === LENGTH_DELIMITED) strVal = reader.string(valueEnd);
    else return false;
    return true;
  });
  if (type === 0) return intVal;
  if (type === 1) return strVal;
  throw badRequest('impossible IntOrString.Type');
};

function readTimestamp(reader: Reader, end: number): Timestamp | undefined {
  const before = reader.position;
  if (reader.delimited(end) === reader.position) return undefined;
  reader.position = before;
  let seconds = 0;
  let nanos = 0;
  readFields(reader, end, (number, wireType, valueEnd) => {
    if (number === 1 && wireType === VARINT) seconds = reader.int(valueEnd);
    else if (number === 2 && wireType === VARINT) nanos = reader.int(valueEnd) | 0;
    else return false;
    return true;
  });
  return isZeroTime({ seconds, nanos }) ? undefined : { seconds, nanos };
}

/** Null for the zero time. */
const readTime: ReadValue = (reader, end) => {
  const timestamp = readTimestamp(reader, end);
  return timestamp ? timeText(timestamp.seconds) : null;
};

const readMicroTime: ReadValue = (reader, end) => {
  const timestamp = readTimestamp(reader, end);
  return timestamp ? microTimeText(timestamp) : null;
};

function rawReader(parse: (bytes: Buffer) => unknown): ReadValue {
  return (reader, end) => {
    let value: unknown = null;
    readFields(reader, end, (number, wireType, valueEnd) => {
      if (number !== 1 || wireType !== LENGTH_DELIMITED) return false;
      const bytes = reader.bytes(valueEnd);
      value = bytes.length === 0 ? null : parse(bytes);
      return true;
    });
    return value;
  };
}

const readRaw = rawReader((bytes) => parseJson(bytes).value);

const readFieldsV1 = rawReader((bytes) => {
  try {
    return parseJson(bytes).value;
  } catch {
    throw badRequest('a set of fields is not JSON');
  }
});

const readDuration: ReadValue = (reader, end) => {
  let nanos = 0;
  readFields(reader, end, (number, wireType, valueEnd) => {
    if (number !== 1 || wireType !== VARINT) return false;
    nanos = reader.int(valueEnd);
    return true;
  });
  return formatDurationNanos(BigInt(nanos));
};

const delimited = (read: ReadValue): ScalarDecoding => ({ wireType: LENGTH_DELIMITED, read });
const varint = (read: ReadValue): ScalarDecoding => ({ wireType: VARINT, read });

export const scalarDecodings: Readonly<Record<Scalar, ScalarDecoding>> = {
  string: delimited(readString),
  bool: varint(readBool),
  int32: varint(readInt32),
  int64: varint(readInt64),
  double: { wireType: FIXED64, read: readDouble },
  bytes: delimited(readBytes),
  Quantity: delimited(readQuantity),
  IntOrString: delimited(readIntOrString),
  Time: delimited(readTime),
  MicroTime: delimited(readMicroTime),
  Duration: delimited(readDuration),
  RawExtension: delimited(readRaw),
  JSON: delimited(readRaw),
  FieldsV1: delimited(readFieldsV1),
};
