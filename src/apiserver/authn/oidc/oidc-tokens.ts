/** OIDC: authenticates the ID tokens of a provider by its public keys, and maps their claims to a user. */
import { decodeJwt, jwtVerify, type JWTPayload } from 'jose';
import type { Context } from '../../../kernel/index.ts';
import { InvalidTokenError, type TokenResponse, type TokenAuthenticator } from '../authenticator.ts';
import { mapClaims, type ClaimMapping } from './claim-mapping.ts';
import { ProviderKeys, type ProviderOptions } from './provider-keys.ts';

interface OidcOptions extends ProviderOptions {
  /** A token must be for one of these. */
  readonly audiences: readonly string[];
  readonly mapping: ClaimMapping;
  readonly algorithms?: readonly string[];
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'EdDSA'];

export class OidcTokens implements TokenAuthenticator {
  readonly name = 'oidc';
  #keys: ProviderKeys;
  readonly #ctx: Context;
  readonly #options: OidcOptions;

  constructor(ctx: Context, options: OidcOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#keys = new ProviderKeys(ctx, options);
  }

  async authenticateToken(token: string): Promise<TokenResponse | undefined> {
    if (issuerOf(token) !== this.#options.issuer) return undefined;
    const claims = await this.#verify(token);
    try {
      return { user: mapClaims(this.#options.mapping, claims) };
    } catch (error) {
      throw new InvalidTokenError(`oidc: ${(error as Error).message}`);
    }
  }

  async #verify(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, this.#keys.keyFor, {
        issuer: this.#options.issuer,
        audience: [...this.#options.audiences],
        algorithms: [...(this.#options.algorithms ?? ALGORITHMS)],
        currentDate: new Date(this.#ctx.clock.now()),
        requiredClaims: ['exp'],
      });
      return payload;
    } catch (error) {
      throw new InvalidTokenError(`oidc: verify token: ${(error as Error).message}`);
    }
  }
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
