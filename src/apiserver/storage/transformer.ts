/** Transforms values between the server and the store: encryption at rest, or nothing. */
export interface Transformer {
  /** `key` is authenticated: a value that was moved to another key must not decrypt. */
  toStorage(value: Buffer, key: string): Promise<Buffer> | Buffer;
  /** `stale` when the bytes should be written again (encrypted with an older key). */
  fromStorage(value: Uint8Array, key: string): { value: Uint8Array; stale: boolean };
  /** Whether the value under a key is stored as it is; default never. */
  keeps?(key: string): boolean;
  /** To be awaited before values of other servers are read: a key management service may have to be called first. */
  prepare?(values: Iterable<{ readonly key: string; readonly value: Uint8Array }>): Promise<void> | undefined;
}

export const identityTransformer: Transformer = {
  toStorage: (value) => value,
  fromStorage: (value) => ({ value, stale: false }),
  keeps: () => true,
};
