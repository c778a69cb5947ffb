import type { LateValue } from '../../etcd/index.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { encodeForStorage } from './encode-for-storage.ts';

/**
 * An object in a store that keeps values in memory: in one process everybody reads the object itself, and its bytes are made
 * for those who come from outside. It must not change from now on.
 */
export class LateBytes implements LateValue {
  readonly size: number;
  #object: KubeObject | undefined;
  #bytes: Uint8Array | undefined;

  constructor(object: KubeObject) {
    this.#object = object;
    this.size = roughLength(object);
  }

  /** As long as there are no bytes. */
  get object(): KubeObject | undefined {
    return this.#object;
  }

  bytes(): Uint8Array {
    if (!this.#bytes) {
      this.#bytes = encodeForStorage(this.#object!);
      this.#object = undefined;
    }
    return this.#bytes;
  }
}

const PUNCTUATION = 4;
const SHORT_VALUE = 5;

/** Of a value's JSON text, if nothing in it had to be escaped. */
export function roughLength(value: unknown): number {
  if (typeof value === 'string') return value.length + PUNCTUATION;
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value).length : SHORT_VALUE;
  let length = PUNCTUATION;
  if (Array.isArray(value)) for (const item of value) length += roughLength(item);
  else for (const name in value) length += name.length + PUNCTUATION + roughLength((value as Record<string, unknown>)[name]);
  return length;
}
