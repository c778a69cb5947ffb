import type { ListMeta } from '../../api/generated/meta-v1.ts';
import { schema } from '../../api/index.ts';
import { encodeMessage } from './encode-message.ts';
import { wrapProtobuf, type TypeMeta } from './envelope.ts';

const METADATA_TAG = 0x0a;
const ITEM_TAG = 0x12;

/**
 * A list in its envelope, joined of items that are encoded already (the bare messages: `decodeProtobuf(…).raw`, or what
 * `encodeMessage` gave). Every list is { metadata = 1, items = 2 }.
 */
export function encodeProtobufList(typeMeta: TypeMeta, metadata: ListMeta, items: readonly Uint8Array[]): Buffer {
  const listMeta = encodeMessage(schema.message('io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'), metadata);
  let size = delimitedSize(listMeta);
  for (const item of items) size += delimitedSize(item);
  const bytes = Buffer.allocUnsafe(size);
  let at = writeDelimited(bytes, 0, METADATA_TAG, listMeta);
  for (const item of items) at = writeDelimited(bytes, at, ITEM_TAG, item);
  return wrapProtobuf(typeMeta, bytes);
}

function delimitedSize({ length }: Uint8Array): number {
  let size = 2 + length;
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) size++;
  return size;
}

function writeDelimited(into: Buffer, start: number, tag: number, content: Uint8Array): number {
  let at = start;
  into[at++] = tag;
  let length = content.length;
  for (; length >= 0x80; length >>>= 7) into[at++] = (length & 0x7f) | 0x80;
  into[at++] = length;
  into.set(content, at);
  return at + content.length;
}
