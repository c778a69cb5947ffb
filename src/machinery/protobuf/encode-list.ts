/** Joins encoded items to a protobuf list. */
import type { ListMeta } from '../../api/generated/meta-v1.ts';
import { schema } from '../../api/index.ts';
import { encodeVarint } from '../../base/index.ts';
import { encodeMessage } from './encode-message.ts';
import { wrapProtobuf, type TypeMeta } from './envelope.ts';

const METADATA_TAG = 0x0a;
const ITEM_TAG = 0x12;
/** The empty contentEncoding and contentType at the end of the envelope. */
const ENVELOPE_END = Buffer.from([0x1a, 0, 0x22, 0]);

/**
 * A list in its envelope, joined from encoded items without envelope (`decodeProtobuf(…).raw` or `encodeMessage`).
 * Every list is { metadata = 1, items = 2 }.
 */
export function encodeProtobufList(typeMeta: TypeMeta, metadata: ListMeta, items: readonly Uint8Array[]): Buffer {
  const delimited = items.map((item) => protobufListItem(item));
  const { start, end } = protobufListFrame(
    typeMeta,
    metadata,
    delimited.reduce((size, { length }) => size + length, 0),
  );
  return Buffer.concat([start, ...delimited, end]);
}

/** The bytes before and after the items of a list, which have `itemBytes` bytes (see `protobufListItem`). */
export function protobufListFrame(
  typeMeta: TypeMeta,
  metadata: ListMeta,
  itemBytes: number,
): { start: Buffer; end: Buffer } {
  const listMeta = encodeMessage(schema.message('io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'), metadata);
  const head = Buffer.allocUnsafe(delimitedSize(listMeta.length));
  writeDelimited(head, METADATA_TAG, listMeta);
  const empty = wrapProtobuf(typeMeta, NOTHING);
  // Only the two empty fields follow the list in the envelope.
  const envelope = empty.subarray(0, empty.length - ENVELOPE_END.length - 1);
  return { start: Buffer.concat([envelope, encodeVarint(head.length + itemBytes), head]), end: ENVELOPE_END };
}

/** An encoded item with its tag and length. */
export function protobufListItem(item: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(delimitedSize(item.length));
  writeDelimited(bytes, ITEM_TAG, item);
  return bytes;
}

const NOTHING = Buffer.alloc(0);

function delimitedSize(length: number): number {
  let size = 2 + length;
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) size++;
  return size;
}

function writeDelimited(into: Buffer, tag: number, content: Uint8Array): void {
  let at = 0;
  into[at++] = tag;
  let length = content.length;
  for (; length >= 0x80; length >>>= 7) into[at++] = (length & 0x7f) | 0x80;
  into[at++] = length;
  into.set(content, at);
}
