/** What happens to an object's bytes between the server and the store: encryption at rest, or nothing. */
export interface Transformer {
  /** `key` binds the bytes to their place: what is moved to another key must not decrypt. */
  toStorage(value: Buffer, key: string): Promise<Buffer> | Buffer;
  /** `stale` when the bytes should be written again (encrypted with an older key). */
  fromStorage(value: Uint8Array, key: string): { value: Uint8Array; stale: boolean };
  /** To be awaited before values that others wrote are read: a key management service may have to be asked first. */
  prepare?(values: Iterable<{ readonly key: string; readonly value: Uint8Array }>): Promise<void> | undefined;
}

export const identityTransformer: Transformer = {
  toStorage: (value) => value,
  fromStorage: (value) => ({ value, stale: false }),
};
