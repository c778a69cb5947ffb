/**
 * Reads a stored value. Ours are canonical JSON with known first keys; an upstream API server on the same etcd writes
 * protobuf, or JSON in another order, which is converted to our form.
 */
import { schema } from '../../api/index.ts';
import type { KeyValue } from '../../etcd/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { decodeProtobufObject } from '../../machinery/protobuf/index.ts';
import { encodeForStorage } from './encode-for-storage.ts';
import { parseStored } from './parse-stored.ts';
import type { Transformer } from './transformer.ts';

const OURS = Buffer.from('{"kind":"');
const PROTOBUF_MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

export function decodeStored(transformer: Transformer, kv: KeyValue): { value: Uint8Array; object?: KubeObject } {
  const { value } = transformer.fromStorage(kv.value, kv.key);
  if (startsWith(value, PROTOBUF_MAGIC)) return recode(decodeProtobufObject(schema, value));
  if (startsWith(value, OURS) && hasMetadataThird(value)) return { value };
  return recode(parseStored(Buffer.from(value)));
}

function recode(object: KubeObject): { value: Uint8Array; object: KubeObject } {
  return { value: encodeForStorage(object), object };
}

function startsWith(value: Uint8Array, prefix: Uint8Array): boolean {
  return value.length >= prefix.length && prefix.every((byte, i) => value[i] === byte);
}

/** kind and apiVersion are short and hold no escapes, so metadata must begin within the first few hundred bytes. */
function hasMetadataThird(value: Uint8Array): boolean {
  const head = Buffer.from(value.buffer, value.byteOffset, Math.min(value.byteLength, 600)).toString('latin1');
  return /^\{"kind":"[^"\\]*","apiVersion":"[^"\\]*","metadata":\{/.test(head);
}
