/** The provider chain of a resource: the first provider writes, all can read. Values of other providers are stale. */
import { whenDone } from '../../base/index.ts';
import type { Provider } from './provider.ts';

/** Longer than any prefix. */
const PREFIX_WINDOW = 512;

export class ProviderChain {
  constructor(readonly providers: readonly Provider[]) {}

  encrypt(value: Buffer, key: string): Buffer | Promise<Buffer> {
    const [writer] = this.providers;
    if (!writer || writer.prefix === '') return value;
    const prefix = Buffer.from(writer.prefix, 'utf8');
    return whenDone(writer.encrypt(value, key), (sealed) => Buffer.concat([prefix, sealed]));
  }

  decrypt(value: Buffer, key: string): { value: Buffer; stale: boolean } {
    const provider = this.#providerOf(value);
    const sealed = provider.prefix === '' ? value : value.subarray(Buffer.byteLength(provider.prefix));
    const stale = provider !== this.providers[0] || (provider.isStale?.(sealed) ?? false);
    return { value: provider.decrypt(sealed, key), stale };
  }

  prepare(value: Buffer): Promise<void> | undefined {
    const provider = this.providers.find(({ prefix }) => prefix !== '' && startsWith(value, prefix));
    return provider?.prepare?.(value.subarray(Buffer.byteLength(provider.prefix)));
  }

  #providerOf(value: Buffer): Provider {
    const provider = this.providers.find(({ prefix }) => startsWith(value, prefix));
    if (!provider || (provider.prefix === '' && startsWith(value, 'k8s:enc:')))
      throw new Error('no matching prefix found');
    return provider;
  }
}

/** The first byte decides for nearly all: a server that starts asks this about everything that is stored. */
const startsWith = (value: Buffer, prefix: string): boolean =>
  prefix === '' ||
  (value[0] === prefix.charCodeAt(0) && value.subarray(0, PREFIX_WINDOW).toString('utf8').startsWith(prefix));
