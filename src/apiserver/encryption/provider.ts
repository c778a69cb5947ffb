/** An encryption provider with one key. Its prefix, which starts every value that it writes, identifies it. */
export interface Provider {
  /** `k8s:enc:aesgcm:v1:key1:`; empty for the identity provider. */
  readonly prefix: string;
  /** Values are without the prefix. */
  encrypt(value: Buffer, storageKey: string): Buffer | Promise<Buffer>;
  /** Throws if this provider did not write the value for this storage key. */
  decrypt(value: Buffer, storageKey: string): Buffer;
  /** Fetches what `decrypt` needs, from the KMS; undefined if nothing is needed. */
  prepare?(value: Buffer): Promise<void> | undefined;
  /** Whether the value was written with an older key of the provider. */
  isStale?(value: Buffer): boolean;
}

/** How every encrypted value begins. */
const ENCRYPTED = 'k8s:enc:';

export const identityProvider: Provider = {
  prefix: '',
  encrypt: (value) => value,
  decrypt(value) {
    if (value[0] === ENCRYPTED.charCodeAt(0) && value.subarray(0, ENCRYPTED.length).toString('latin1') === ENCRYPTED)
      throw new Error('identity transformer tried to read encrypted data');
    return value;
  },
};
