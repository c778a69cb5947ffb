/**
 * Encryption at rest, in upstream's stored form: an EncryptionConfiguration says which resources are written with which
 * provider and key, and which others may still be read. The file is looked at again while the server runs; `openEncryption`
 * makes one with a key of its own at the first start, so that Secrets are never stored in the clear.
 */
export { EncryptionAtRest } from './encryption-at-rest.ts';
export { openEncryption, type OpenEncryption } from './open-encryption.ts';
export { reencryptAll } from './reencrypt.ts';
