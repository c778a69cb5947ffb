import type { ServerKeys } from './files.ts';

/** What a running server can exchange. The token signing key stays: what it has signed must stay valid. */
export type RenewableKeys = Omit<ServerKeys, 'serviceAccount'>;

/** The keys of a running server. Who uses one later reads it then, and gets the renewed one. */
export class CurrentKeys implements ServerKeys {
  #keys: ServerKeys;
  readonly #listeners: (() => void)[] = [];

  constructor(keys: ServerKeys) {
    this.#keys = keys;
  }

  get ca(): ServerKeys['ca'] {
    return this.#keys.ca;
  }

  get frontProxyCa(): ServerKeys['frontProxyCa'] {
    return this.#keys.frontProxyCa;
  }

  get apiserver(): ServerKeys['apiserver'] {
    return this.#keys.apiserver;
  }

  get named(): ServerKeys['named'] {
    return this.#keys.named;
  }

  get kubeletClient(): ServerKeys['kubeletClient'] {
    return this.#keys.kubeletClient;
  }

  get frontProxyClient(): ServerKeys['frontProxyClient'] {
    return this.#keys.frontProxyClient;
  }

  get serviceAccount(): ServerKeys['serviceAccount'] {
    return this.#keys.serviceAccount;
  }

  renew(renewed: Partial<RenewableKeys>): void {
    this.#keys = { ...this.#keys, ...renewed };
    for (const listener of this.#listeners) listener();
  }

  onRenew(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
