/** --storage-media-type: built-in kinds are stored as JSON or, as upstream does by default, as protobuf. */
import { schema } from '../../api/index.ts';
import { encodeProtobuf, messageOfKind } from '../../machinery/protobuf/index.ts';
import { parseStored } from './parse-stored.ts';
import type { Transformer } from './transformer.ts';

export const STORAGE_MEDIA_TYPES = ['application/json', 'application/vnd.kubernetes.protobuf'] as const;
export type StorageMediaType = (typeof STORAGE_MEDIA_TYPES)[number];

/** Upstream stores these as JSON, whatever the media type is: other servers are built in that serve them. */
const JSON_GROUPS = /^(?:apiextensions\.k8s\.io|apiregistration\.k8s\.io)\//;

export const withMediaType = (
  transformer: Transformer,
  mediaType: StorageMediaType = 'application/json',
): Transformer => (mediaType === 'application/json' ? transformer : new ProtobufStorage(transformer));

/** Reading needs no media type: `decodeStored` tells them apart. */
class ProtobufStorage implements Transformer {
  readonly #inner: Transformer;

  constructor(inner: Transformer) {
    this.#inner = inner;
  }

  toStorage(value: Buffer, key: string): Promise<Buffer> | Buffer {
    return this.#inner.toStorage(encode(value), key);
  }

  fromStorage(value: Uint8Array, key: string): { value: Uint8Array; stale: boolean } {
    return this.#inner.fromStorage(value, key);
  }

  prepare(values: Iterable<{ readonly key: string; readonly value: Uint8Array }>): Promise<void> | undefined {
    return this.#inner.prepare?.(values);
  }
}

function encode(value: Buffer): Buffer {
  const object = parseStored(value);
  const { apiVersion, kind } = object;
  const message = JSON_GROUPS.test(apiVersion) ? undefined : messageOfKind(schema, object);
  return message ? encodeProtobuf(message, object, { apiVersion, kind }) : value;
}
