/** Authentication webhook: sends the token as a TokenReview, and caches the response by the hash of the token. */
import { createHash } from 'node:crypto';
import type { TokenReviewStatus } from '../../api/generated/authentication-v1.ts';
import type { Context } from '../../kernel/index.ts';
import { ExpiringCache, type ReviewClient } from '../review-webhooks/index.ts';
import { InvalidTokenError, type TokenResponse, type TokenAuthenticator } from './authenticator.ts';

interface WebhookTokensOptions {
  readonly client: Pick<ReviewClient, 'post'>;
  readonly version?: 'v1' | 'v1beta1';
  readonly cacheTtlMs?: number;
}

const CACHE_SIZE = 4096;
const DEFAULT_TTL_MS = 120_000;

type ReviewResult = { readonly found: TokenResponse | undefined } | { readonly error: string };

export class WebhookTokens implements TokenAuthenticator {
  readonly name = 'webhook';
  #responses: ExpiringCache<ReviewResult>;
  /** Concurrent requests with the same token share one call. */
  #pending = new Map<string, Promise<ReviewResult>>();
  readonly #ctx: Context;
  readonly #options: WebhookTokensOptions;

  constructor(ctx: Context, options: WebhookTokensOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#responses = new ExpiringCache(ctx.clock, CACHE_SIZE);
  }

  async authenticateToken(token: string, audiences: readonly string[]): Promise<TokenResponse | undefined> {
    const key = createHash('sha256')
      .update(JSON.stringify([token, audiences]))
      .digest('base64');
    const response = this.#responses.get(key) ?? (await this.#reviewOnce(key, token, audiences));
    if ('error' in response) throw new InvalidTokenError(response.error);
    return response.found;
  }

  #reviewOnce(key: string, token: string, audiences: readonly string[]): Promise<ReviewResult> {
    let pending = this.#pending.get(key);
    if (!pending) {
      pending = this.#review(token, audiences)
        .then((response) => {
          this.#responses.set(key, response, this.#options.cacheTtlMs ?? DEFAULT_TTL_MS);
          return response;
        })
        .finally(() => this.#pending.delete(key));
      this.#pending.set(key, pending);
    }
    return pending;
  }

  async #review(token: string, audiences: readonly string[]): Promise<ReviewResult> {
    const { version = 'v1', client } = this.#options;
    let response: Record<string, unknown>;
    try {
      response = await client.post({
        apiVersion: `authentication.k8s.io/${version}`,
        kind: 'TokenReview',
        metadata: {},
        spec: { token, audiences },
      });
    } catch (error) {
      this.#ctx.logger.error(error, 'Failed to make webhook authenticator request');
      throw new InvalidTokenError((error as Error).message);
    }
    return resultOf((response['status'] ?? {}) as Partial<TokenReviewStatus>, audiences);
  }
}

function resultOf(
  { authenticated, user, audiences, error }: Partial<TokenReviewStatus>,
  wanted: readonly string[],
): ReviewResult {
  if (!authenticated || !user?.username) return error ? { error } : { found: undefined };
  // A webhook that does not return audiences only authenticates tokens for this server.
  const common = audiences?.length ? wanted.filter((audience) => audiences.includes(audience)) : undefined;
  if (common?.length === 0) return { found: undefined };
  return {
    found: {
      user: {
        name: user.username,
        ...(user.uid ? { uid: user.uid } : {}),
        groups: user.groups ?? [],
        ...(user.extra ? { extra: user.extra } : {}),
      },
      ...(common ? { audiences: common } : {}),
    },
  };
}
