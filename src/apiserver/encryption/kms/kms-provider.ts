/**
 * The KMS v2 provider: the KMS encrypts a seed, and the server encrypts each value with a key that it derives from the seed
 * and 32 random bytes. So it calls the KMS only at its start, when the key changes, and for seeds of other servers.
 */
import { createHash, createHmac } from 'node:crypto';
import { ownValue } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import { openGcm, sealGcm } from '../aes.ts';
import type { Provider } from '../provider.ts';
import { KmsClient } from './kms-client.ts';
import { decodeEncryptedObject, encodeEncryptedObject, type Annotations, type EncryptedObject } from './messages.ts';

interface KmsProviderOptions {
  readonly name: string;
  readonly endpoint: string;
  readonly timeoutMs: number;
}

const SEED_BYTES = 32;
const INFO_BYTES = 32;
const DERIVED_FROM_SEED = 1;
/** The interval of status checks. */
const POLL_MS = 60_000;
/** A seed is used for writes until this long after the last successful status check. */
const WRITE_TTL_MS = 3 * 60_000;

interface WriteState {
  readonly keyId: string;
  readonly seed: Buffer;
  readonly encryptedSeed: Buffer;
  readonly annotations: Annotations;
  usableUntil: number;
}

export class KmsProvider implements Provider {
  readonly prefix: string;
  readonly #client: KmsClient;
  readonly #seeds = new Map<string, Buffer>();
  readonly #decrypting = new Map<string, Promise<void>>();
  #state: WriteState | undefined;
  #refreshing: Promise<WriteState> | undefined;
  #poll: { cancel(): void } | undefined;
  readonly #ctx: Context;
  readonly #options: KmsProviderOptions;

  constructor(ctx: Context, options: KmsProviderOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.prefix = `k8s:enc:kms:v2:${options.name}:`;
    this.#client = new KmsClient(ctx, options.endpoint, options.timeoutMs);
  }

  async encrypt(value: Buffer, storageKey: string): Promise<Buffer> {
    const state =
      this.#state && this.#ctx.clock.monotonic() < this.#state.usableUntil ? this.#state : await this.#refresh();
    const info = Buffer.from(this.#ctx.random.bytes(INFO_BYTES));
    const sealed = sealGcm(derivedKey(state.seed, info), Buffer.from(this.#ctx.random.bytes(12)), value, storageKey);
    return encodeEncryptedObject({
      encryptedData: Buffer.concat([info, sealed]),
      keyId: state.keyId,
      encryptedDekSource: state.encryptedSeed,
      annotations: state.annotations,
      sourceType: DERIVED_FROM_SEED,
    });
  }

  decrypt(value: Buffer, storageKey: string): Buffer {
    const object = decodeEncryptedObject(value);
    const source = this.#seeds.get(seedId(object));
    if (!source) throw new Error('the KMS has not decrypted the seed of this value');
    const { encryptedData } = object;
    if (object.sourceType !== DERIVED_FROM_SEED) return openGcm(source, encryptedData, storageKey);
    if (encryptedData.length < INFO_BYTES) throw new Error('the stored data was shorter than the required size');
    return openGcm(
      derivedKey(source, encryptedData.subarray(0, INFO_BYTES)),
      encryptedData.subarray(INFO_BYTES),
      storageKey,
    );
  }

  prepare(value: Buffer): Promise<void> | undefined {
    const object = decodeEncryptedObject(value);
    const id = seedId(object);
    if (this.#seeds.has(id)) return undefined;
    let decrypting = this.#decrypting.get(id);
    if (!decrypting) {
      decrypting = this.#decryptSeed(id, object).finally(() => this.#decrypting.delete(id));
      this.#decrypting.set(id, decrypting);
    }
    return decrypting;
  }

  isStale(value: Buffer): boolean {
    return this.#state !== undefined && decodeEncryptedObject(value).keyId !== this.#state.keyId;
  }

  /** Throws if the KMS is not healthy. */
  async check(): Promise<void> {
    await this.#refresh();
  }

  close(): void {
    this.#poll?.cancel();
    this.#client.close();
  }

  /** Does not throw: the read of this value fails later, and reads of other values must not fail. */
  async #decryptSeed(id: string, { encryptedDekSource, keyId, annotations }: EncryptedObject): Promise<void> {
    try {
      this.#seeds.set(id, await this.#client.decrypt(encryptedDekSource, keyId, annotations));
    } catch (error) {
      this.#ctx.logger.error(error, 'Failed to decrypt a seed with the KMS', { provider: this.#options.name });
    }
  }

  #refresh(): Promise<WriteState> {
    this.#refreshing ??= this.#refreshState().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refreshState(): Promise<WriteState> {
    this.#poll ??= this.#ctx.clock.every(POLL_MS, () => {
      this.#refresh().catch((error: unknown) =>
        this.#ctx.logger.error(error, 'Failed to check the status of the KMS', { provider: this.#options.name }),
      );
    });
    const { version, healthz, keyId } = await this.#client.status();
    if (version !== 'v2' && version !== 'v2beta1') throw new Error(`expected KMSv2 API version v2, got ${version}`);
    if (healthz !== 'ok') throw new Error(`expected KMSv2 healthz status ok, got ${healthz}`);
    if (keyId === '') throw new Error('the KMS returned an empty key id');
    const usableUntil = this.#ctx.clock.monotonic() + WRITE_TTL_MS;
    if (this.#state?.keyId === keyId) {
      this.#state.usableUntil = usableUntil;
      return this.#state;
    }
    const seed = Buffer.from(this.#ctx.random.bytes(SEED_BYTES));
    const encrypted = await this.#client.encrypt(seed);
    const state: WriteState = {
      keyId: encrypted.keyId,
      seed,
      encryptedSeed: encrypted.ciphertext,
      annotations: encrypted.annotations,
      usableUntil,
    };
    this.#seeds.set(
      seedId({
        encryptedDekSource: state.encryptedSeed,
        keyId: state.keyId,
        annotations: state.annotations,
        sourceType: DERIVED_FROM_SEED,
      }),
      seed,
    );
    this.#state = state;
    return state;
  }
}

/** HKDF-Expand with SHA-256, one block. */
const derivedKey = (seed: Buffer, info: Buffer): Buffer =>
  createHmac('sha256', seed)
    .update(info)
    .update(Buffer.from([1]))
    .digest();

function seedId({
  encryptedDekSource,
  keyId,
  annotations,
  sourceType,
}: Omit<EncryptedObject, 'encryptedData'>): string {
  const hash = createHash('sha256').update(`${sourceType} ${keyId}\0`).update(encryptedDekSource);
  for (const key of Object.keys(annotations).sort()) hash.update(`\0${key}\0`).update(ownValue(annotations, key)!);
  return hash.digest('base64');
}
