import type { ServerKeys } from './files.ts';

/** What a running server can exchange. CAs and the token signing key stay: what they have signed must stay valid. */
export type RenewableKeys = Pick<ServerKeys, 'apiserver' | 'kubeletClient' | 'frontProxyClient'>;

/** The keys of a running server. Who uses one later reads it then, and gets the renewed one. */
export class CurrentKeys implements ServerKeys {
  #keys: ServerKeys;

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
  }
}
