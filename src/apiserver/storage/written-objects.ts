/**
 * Objects whose writes are under way. The event of a write brings back the bytes that the server has just encoded: it takes the
 * object from here instead of parsing them. Pays for the bench rows `POST ConfigMap` and `POST Pod`.
 */
import type { KubeObject } from '../../machinery/index.ts';

export interface WrittenObjects {
  /** Remembers the object that `value` encodes until `take` or `forget`. */
  remember(key: string, value: Uint8Array, object: KubeObject): void;
  /** The object that `value` encodes, if it is known; it is forgotten. */
  take(key: string, value: Uint8Array): KubeObject | undefined;
  /** The write is over: no event with these bytes follows. */
  forget(key: string, value: Uint8Array): void;
}

export class WrittenObjectMap implements WrittenObjects {
  readonly #byKey = new Map<string, { readonly value: Uint8Array; readonly object: KubeObject }>();

  remember(key: string, value: Uint8Array, object: KubeObject): void {
    this.#byKey.set(key, { value, object });
  }

  take(key: string, value: Uint8Array): KubeObject | undefined {
    if (this.#byKey.size === 0) return undefined;
    const written = this.#byKey.get(key);
    if (written?.value !== value) return undefined;
    this.#byKey.delete(key);
    return written.object;
  }

  forget(key: string, value: Uint8Array): void {
    if (this.#byKey.get(key)?.value === value) this.#byKey.delete(key);
  }
}

/** Every event is parsed. */
export const noWrittenObjects: WrittenObjects = {
  remember: () => {},
  take: () => undefined,
  forget: () => {},
};
