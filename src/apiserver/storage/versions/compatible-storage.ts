/** Stores objects of some resources in another version than the one that they have in memory. */
import { REGISTRY } from '../keys.ts';
import type { Transformer } from '../transformer.ts';

/** `versions`: the apiVersion to store, by the part of a key that names the resource. Both versions have the same fields. */
export const withStorageVersions = (transformer: Transformer, versions: ReadonlyMap<string, string>): Transformer =>
  versions.size === 0 ? transformer : new CompatibleStorage(transformer, versions);

/** Reading needs no versions: `decodeStored` converts what has another version than the one in memory. */
class CompatibleStorage implements Transformer {
  readonly #inner: Transformer;
  readonly #versions: ReadonlyMap<string, string>;

  constructor(inner: Transformer, versions: ReadonlyMap<string, string>) {
    this.#inner = inner;
    this.#versions = versions;
  }

  toStorage(value: Buffer, key: string): Promise<Buffer> | Buffer {
    const apiVersion = this.#versionOf(key);
    return this.#inner.toStorage(apiVersion === undefined ? value : withApiVersion(value, apiVersion), key);
  }

  keeps(key: string): boolean {
    return this.#inner.keeps?.(key) === true && this.#versionOf(key) === undefined;
  }

  fromStorage(value: Uint8Array, key: string): { value: Uint8Array; stale: boolean } {
    return this.#inner.fromStorage(value, key);
  }

  prepare(values: Iterable<{ readonly key: string; readonly value: Uint8Array }>): Promise<void> | undefined {
    return this.#inner.prepare?.(values);
  }

  #versionOf(key: string): string | undefined {
    return this.#versions.get(key.slice(REGISTRY.length, key.indexOf('/', REGISTRY.length)));
  }
}

/** Stored JSON begins with kind and apiVersion. */
const API_VERSION = '"apiVersion":"';

function withApiVersion(value: Buffer, apiVersion: string): Buffer {
  const begin = value.indexOf(API_VERSION) + API_VERSION.length;
  return Buffer.concat([value.subarray(0, begin), Buffer.from(apiVersion), value.subarray(value.indexOf('"', begin))]);
}
