/** The public keys of an OIDC provider: found by discovery, cached, and fetched again when a token names an unknown key. */
import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type CryptoKey,
  type KeyObject,
} from 'jose';
import { isRecord } from '../../../base/index.ts';
import { anonymous, HttpTransport } from '../../../client/index.ts';
import type { Context } from '../../../kernel/index.ts';

export interface ProviderOptions {
  readonly issuer: string;
  /** The URL of the discovery document, if it is not below the issuer. */
  readonly discoveryUrl?: string;
  /** PEM; the system's CAs by default. */
  readonly ca?: string;
}

const TIMEOUT_MS = 30_000;
/** Tokens with unknown keys trigger at most one fetch per interval. */
const COOLDOWN_MS = 10_000;

export class ProviderKeys {
  #keys: ReturnType<typeof createLocalJWKSet> | undefined;
  #fetching: Promise<void> | undefined;
  #fetchedAt = -Infinity;
  readonly #ctx: Context;
  readonly #options: ProviderOptions;

  constructor(ctx: Context, options: ProviderOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /** Finds the key that signed a token, for jose. */
  keyFor = async (
    header: JWSHeaderParameters,
    token: FlattenedJWSInput,
  ): Promise<CryptoKey | KeyObject | Uint8Array> => {
    if (!this.#keys) await this.#refresh();
    try {
      return await this.#keys!(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#ctx.clock.monotonic() - this.#fetchedAt < COOLDOWN_MS)
        throw error;
    }
    await this.#refresh();
    return this.#keys!(header, token);
  };

  #refresh(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  async #fetch(): Promise<void> {
    const document = await this.#get(
      this.#options.discoveryUrl ?? `${this.#options.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    );
    if (document['issuer'] !== this.#options.issuer)
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected "${this.#options.issuer}" got "${String(document['issuer'])}"`,
      );
    const keys = await this.#get(String(document['jwks_uri']));
    this.#keys = createLocalJWKSet(keys as unknown as JSONWebKeySet);
    this.#fetchedAt = this.#ctx.clock.monotonic();
  }

  async #get(address: string): Promise<Record<string, unknown>> {
    const url = new URL(address);
    if (url.protocol !== 'https:') throw new Error(`the URL of an OIDC provider must use https, got ${url.protocol}`);
    const { ca } = this.#options;
    const transport = new HttpTransport({
      config: { server: url.origin, ...(ca ? { ca } : {}), credentials: anonymous, namespace: 'default' },
      clock: this.#ctx.clock,
    });
    try {
      const signal = this.#ctx.clock.deadline(TIMEOUT_MS, this.#ctx.signal);
      const { status, body } = await transport.request({ method: 'GET', path: url.pathname + url.search, signal });
      const parsed: unknown = typeof body === 'string' ? JSON.parse(body) : body;
      if (status !== 200 || !isRecord(parsed))
        throw new Error(`the OIDC provider answered ${status} for ${url.pathname}`);
      return parsed;
    } finally {
      await transport.close();
    }
  }
}
