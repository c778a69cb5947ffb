/**
 * The bytes of a protobuf message as a tree of field numbers, without a schema: enough to say where two encodings
 * differ. Bytes that read as text are text, those that read as a message are one.
 */
type Tree = string | { [field: string]: Tree[] };

/** Before an object of the API; inside of a watch event too. */
export const PROTOBUF_MAGIC = 'k8s\0';
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const DEEPEST = 30;

export function protobufTree(bytes: Buffer, depth = 0): Tree | undefined {
  const out: { [field: string]: Tree[] } = {};
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (at >= bytes.length || shift > 63n) throw new RangeError('no varint');
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('too short');
    return bytes.subarray(at, (at += length));
  };
  try {
    while (at < bytes.length) {
      const tag = Number(varint());
      const [field, wire] = [tag >> 3, tag & 7];
      if (field === 0) return undefined;
      const values = (out[field] ??= []);
      if (wire === WIRE.varint) values.push(String(varint()));
      else if (wire === WIRE.fixed64) values.push(take(8).toString('hex'));
      else if (wire === WIRE.fixed32) values.push(take(4).toString('hex'));
      else if (wire === WIRE.bytes) values.push(leaf(take(Number(varint())), depth));
      else return undefined;
    }
  } catch {
    return undefined;
  }
  return out;
}

function leaf(bytes: Buffer, depth: number): Tree {
  if (bytes.length === 0) return '';
  if (bytes.subarray(0, 4).toString('latin1') === PROTOBUF_MAGIC) return leaf(bytes.subarray(4), depth);
  const text = bytes.toString('utf8');
  const isText = !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffd]/.test(text);
  const tree = isText || depth > DEEPEST ? undefined : protobufTree(bytes, depth + 1);
  return tree ?? (isText ? text : bytes.toString('hex'));
}
