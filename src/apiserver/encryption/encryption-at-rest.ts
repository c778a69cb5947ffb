/** Encryption at rest: the transformer of the store, which finds the provider chain by the resource of a storage key. */
import { REGISTRY } from '../storage/keys.ts';
import type { Transformer } from '../storage/transformer.ts';
import { ProviderChain } from './provider-chain.ts';
import { identityProvider } from './provider.ts';
import { resourceOfKey } from './resource-of-key.ts';

/** The provider chain of a resource (`secrets`, `deployments.apps`); undefined if it is not configured. */
export type ChainOf = (resource: string) => ProviderChain | undefined;

const IDENTITY_CHAIN = new ProviderChain([identityProvider]);

export class EncryptionAtRest implements Transformer {
  #chains = new Map<string, ProviderChain>();
  #chainOf: ChainOf;
  /** Of the last key: thousands with the same beginning follow each other when a server starts. */
  #last: { readonly beginning: string; readonly chain: ProviderChain } | undefined;
  readonly #prefix: string;

  /** A value belongs to its key in etcd, whose prefix may be another one than ours. */
  constructor(chainOf: ChainOf, prefix = REGISTRY) {
    this.#chainOf = chainOf;
    this.#prefix = prefix;
  }

  /** Replaces the configuration; later writes use its keys. */
  use(chainOf: ChainOf): void {
    this.#chainOf = chainOf;
    this.#chains.clear();
    this.#last = undefined;
  }

  toStorage(value: Buffer, key: string): Buffer | Promise<Buffer> {
    return this.#chain(key).encrypt(value, this.#storedKey(key));
  }

  fromStorage(value: Uint8Array, key: string): { value: Uint8Array; stale: boolean } {
    return this.#chain(key).decrypt(asBuffer(value), this.#storedKey(key));
  }

  prepare(values: Iterable<{ readonly key: string; readonly value: Uint8Array }>): Promise<void> | undefined {
    let pending: Promise<void>[] | undefined;
    for (const { key, value } of values) {
      const wait = this.#chain(key).prepare(asBuffer(value));
      if (wait) (pending ??= []).push(wait);
    }
    return pending && Promise.all(pending).then(() => undefined);
  }

  #storedKey(key: string): string {
    return this.#prefix === REGISTRY ? key : this.#prefix + key.slice(REGISTRY.length);
  }

  #chain(key: string): ProviderChain {
    if (this.#last && key.startsWith(this.#last.beginning)) return this.#last.chain;
    const end = key.indexOf('/', REGISTRY.length);
    const cacheKey = end < 0 ? key : key.slice(0, Math.max(end, key.indexOf('/', end + 1)));
    let chain = this.#chains.get(cacheKey);
    if (!chain) {
      chain = this.#chainOf(resourceOfKey(key)) ?? IDENTITY_CHAIN;
      if (this.#chains.size > 10_000) this.#chains.clear();
      this.#chains.set(cacheKey, chain);
    }
    if (end >= 0 && cacheKey.length > end) this.#last = { beginning: `${cacheKey}/`, chain };
    return chain;
  }
}

const asBuffer = (value: Uint8Array): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
