/** One way to encrypt with one key. What it writes begins with its prefix, which tells it from all others. */
export interface Provider {
  /** `k8s:enc:aesgcm:v1:key1:`; empty for what is stored in the clear. */
  readonly prefix: string;
  /** `key` is the place in the store. */
  encrypt(value: Buffer, key: string): Buffer | Promise<Buffer>;
  /** Both without the prefix. Throws when the bytes are not what this provider wrote for this place. */
  decrypt(value: Buffer, key: string): Buffer;
  /** What has to be asked for before `decrypt` can be called; undefined when nothing has. */
  prepare?(value: Buffer): Promise<void> | undefined;
  /** Whether a value should be written again with the provider's newer key. */
  isStale?(value: Buffer): boolean;
}

export const identityProvider: Provider = {
  prefix: '',
  encrypt: (value) => value,
  decrypt(value) {
    if (value.subarray(0, 8).toString('latin1') === 'k8s:enc:')
      throw new Error('identity transformer tried to read encrypted data');
    return value;
  },
};
