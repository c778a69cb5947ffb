/** Objects that the server keeps under keys of its own, which no resource is served from. */
import type { KeyValue } from '../../etcd/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { decodeStored } from './decode-stored.ts';
import { encodeForStorage } from './encode-for-storage.ts';
import { parseStored } from './parse-stored.ts';
import type { Transformer } from './transformer.ts';

export async function readStoredObject(transformer: Transformer, kv: KeyValue): Promise<KubeObject> {
  await transformer.prepare?.([kv]);
  const { value, object = parseStored(Buffer.from(value)) } = decodeStored(transformer, kv);
  return object;
}

export const storedObjectBytes = async (transformer: Transformer, key: string, object: KubeObject): Promise<Buffer> =>
  transformer.toStorage(encodeForStorage(object), key);
