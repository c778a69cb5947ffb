/**
 * Encryption at rest, in upstream's storage format. An EncryptionConfiguration lists the providers and keys per resource;
 * the file is reloaded while the server runs. `openEncryption` generates one with a new key at the first start, so that
 * Secrets are never stored unencrypted.
 */
export { openEncryption, type OpenEncryption } from './open-encryption.ts';
export { reencryptAll } from './reencrypt.ts';
