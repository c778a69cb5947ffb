/**
 * Encodes and decodes D-Bus messages with the types that logind uses: strings, numbers, booleans, arrays and variants.
 *
 *   byte   endianness 'l'
 *   byte   type: 1 call, 2 answer, 3 error, 4 signal
 *   byte   flags
 *   byte   version 1
 *   uint32 length of the body
 *   uint32 serial
 *   a(yv)  header fields, padded to 8 bytes; then the body
 */
export type DbusValue = string | number | bigint | boolean | readonly DbusValue[];

export interface DbusMessage {
  readonly type: 'call' | 'answer' | 'error' | 'signal';
  readonly serial: number;
  readonly replySerial?: number;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
  readonly destination?: string;
  readonly sender?: string;
  readonly signature?: string;
  readonly body: readonly DbusValue[];
}

const TYPES = ['call', 'answer', 'error', 'signal'] as const;
const FIELDS = {
  path: [1, 'o'],
  interface: [2, 's'],
  member: [3, 's'],
  errorName: [4, 's'],
  replySerial: [5, 'u'],
  destination: [6, 's'],
  sender: [7, 's'],
  signature: [8, 'g'],
} as const;
const FIXED_BYTES = 12;
/** The limit of the D-Bus specification. */
const MAX_MESSAGE = 2 ** 27;

class DbusProtocolError extends Error {
  override readonly name = 'DbusProtocolError';
  readonly code = 'dbus-protocol';
}

export function encodeMessage(message: DbusMessage): Buffer {
  const body = new Writer();
  const types = splitSignature(message.signature ?? '');
  if (types.length !== message.body.length)
    throw new DbusProtocolError(
      `the signature ${JSON.stringify(message.signature ?? '')} does not fit ${message.body.length} values`,
    );
  types.forEach((type, i) => body.value(type, message.body[i] ?? ''));
  const fields = new Writer();
  for (const [name, [code, type]] of Object.entries(FIELDS)) {
    const value = message[name as keyof typeof FIELDS];
    if (value === undefined || value === '') continue;
    fields.pad(8);
    fields.byte(code);
    fields.value('g', type);
    fields.value(type, value);
  }
  const head = new Writer();
  for (const byte of ['l'.charCodeAt(0), TYPES.indexOf(message.type) + 1, 0, 1]) head.byte(byte);
  for (const number of [body.length, message.serial, fields.length]) head.value('u', number);
  head.bytes(fields.buffer());
  head.pad(8);
  head.bytes(body.buffer());
  return head.buffer();
}

/** Decodes the first message and returns its length; undefined while it is incomplete. */
export function decodeMessage(bytes: Buffer): { message: DbusMessage; length: number } | undefined {
  if (bytes.length < FIXED_BYTES + 4) return undefined;
  if (bytes[0] !== 'l'.charCodeAt(0)) throw new DbusProtocolError('only little-endian messages are supported');
  const bodyLength = bytes.readUInt32LE(4);
  const bodyAt = align(FIXED_BYTES + 4 + bytes.readUInt32LE(FIXED_BYTES), 8);
  const length = bodyAt + bodyLength;
  if (length > MAX_MESSAGE) throw new DbusProtocolError(`a message of ${length} bytes is too large`);
  if (bytes.length < length) return undefined;
  const type = TYPES[(bytes[1] ?? 0) - 1];
  if (type === undefined) throw new DbusProtocolError(`there is no message type ${bytes[1]}`);
  const fields: Record<string, DbusValue> = {};
  const reader = new Reader(bytes.subarray(0, bodyAt), FIXED_BYTES + 4);
  const fieldsEnd = FIXED_BYTES + 4 + bytes.readUInt32LE(FIXED_BYTES);
  while (reader.offset < fieldsEnd) {
    reader.pad(8);
    const code = reader.byte();
    const value = reader.variant();
    const name = Object.entries(FIELDS).find(([, [known]]) => known === code)?.[0];
    if (name !== undefined) fields[name] = value;
  }
  const signature = String(fields['signature'] ?? '');
  const body = new Reader(bytes.subarray(bodyAt, length), 0);
  const values = splitSignature(signature).map((one) => body.value(one));
  return { message: { ...fields, type, serial: bytes.readUInt32LE(8), body: values } as DbusMessage, length };
}

const align = (offset: number, size: number): number => Math.ceil(offset / size) * size;

/** Splits a signature into types: `ssas` is s, s, as. */
export function splitSignature(signature: string): string[] {
  const types: string[] = [];
  for (let at = 0; at < signature.length;) {
    let end = at;
    while (signature[end] === 'a') end++;
    if (!'ybnqiuxtdsogvh'.includes(signature[end] ?? '?'))
      throw new DbusProtocolError(`the type ${JSON.stringify(signature.slice(at))} is not supported`);
    types.push(signature.slice(at, end + 1));
    at = end + 1;
  }
  return types;
}

const SIZES: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({ y: 1, b: 4, n: 2, q: 2, i: 4, u: 4, h: 4, x: 8, t: 8, d: 8, s: 4, o: 4, g: 1, v: 1, a: 4 }),
);
const alignmentOf = (type: string): number => SIZES.get(type.charAt(0)) ?? 1;

class Writer {
  #parts: Buffer[] = [];
  length = 0;

  bytes(part: Buffer): void {
    this.#parts.push(part);
    this.length += part.length;
  }

  byte(value: number): void {
    this.bytes(Buffer.from([value]));
  }

  pad(size: number): void {
    this.bytes(Buffer.alloc(align(this.length, size) - this.length));
  }

  value(type: string, value: DbusValue): void {
    this.pad(alignmentOf(type));
    const number = Buffer.alloc(8);
    switch (type.charAt(0)) {
      case 'y':
        return this.byte(Number(value));
      case 'b':
      case 'u':
      case 'h':
        number.writeUInt32LE(Number(value));
        return this.bytes(number.subarray(0, 4));
      case 'i':
        number.writeInt32LE(Number(value));
        return this.bytes(number.subarray(0, 4));
      case 't':
        number.writeBigUInt64LE(BigInt(value as number | bigint));
        return this.bytes(number);
      case 's':
      case 'o':
        this.value('u', Buffer.byteLength(String(value)));
        return this.bytes(Buffer.from(`${String(value)}\0`));
      case 'g':
        this.byte(String(value).length);
        return this.bytes(Buffer.from(`${String(value)}\0`));
      case 'v': {
        const inner =
          typeof value === 'bigint' ? 't' : typeof value === 'boolean' ? 'b' : typeof value === 'number' ? 'u' : 's';
        this.value('g', inner);
        return this.value(inner, value);
      }
      default:
        throw new DbusProtocolError(`values of the type ${JSON.stringify(type)} are not written`);
    }
  }

  buffer(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

class Reader {
  readonly #bytes: Buffer;
  offset: number;

  constructor(bytes: Buffer, offset: number) {
    this.#bytes = bytes;
    this.offset = offset;
  }

  pad(size: number): void {
    this.offset = align(this.offset, size);
  }

  byte(): number {
    return this.#bytes.readUInt8(this.offset++);
  }

  variant(): DbusValue {
    return this.value(String(this.value('g')));
  }

  value(type: string): DbusValue {
    const size = alignmentOf(type);
    this.pad(size);
    const at = this.offset;
    switch (type.charAt(0)) {
      case 's':
      case 'o':
        return this.#text(Number(this.value('u')));
      case 'g':
        return this.#text(this.byte());
      case 'v':
        return this.variant();
      case 'a':
        return this.#array(type.slice(1));
    }
    this.offset += size;
    switch (type) {
      case 'y':
        return this.#bytes.readUInt8(at);
      case 'b':
        return this.#bytes.readUInt32LE(at) !== 0;
      case 'n':
        return this.#bytes.readInt16LE(at);
      case 'q':
        return this.#bytes.readUInt16LE(at);
      case 'i':
        return this.#bytes.readInt32LE(at);
      case 'x':
        return this.#bytes.readBigInt64LE(at);
      case 't':
        return this.#bytes.readBigUInt64LE(at);
      case 'd':
        return this.#bytes.readDoubleLE(at);
      default:
        return this.#bytes.readUInt32LE(at);
    }
  }

  #text(length: number): string {
    const text = this.#bytes.subarray(this.offset, this.offset + length).toString();
    this.offset += length + 1;
    return text;
  }

  #array(element: string): DbusValue[] {
    const length = Number(this.value('u'));
    this.pad(alignmentOf(element));
    const end = this.offset + length;
    const values: DbusValue[] = [];
    while (this.offset < end) values.push(this.value(element));
    return values;
  }
}
