/** Asks a server outside whose token it is, with a TokenReview. Answers are kept for a while, by the token's hash. */
import { createHash } from 'node:crypto';
import type { TokenReviewStatus } from '../../api/generated/authentication-v1.ts';
import type { Context } from '../../kernel/index.ts';
import { ExpiringCache, type ReviewClient } from '../review-webhooks/index.ts';
import { TokenRefused, type TokenAnswer, type TokenAuthenticator } from './authenticator.ts';

export interface WebhookTokensOptions {
  readonly client: Pick<ReviewClient, 'post'>;
  readonly version?: 'v1' | 'v1beta1';
  readonly cacheTtlMs?: number;
}

const CACHED = 4096;
const DEFAULT_TTL_MS = 120_000;

type Answer = { readonly found: TokenAnswer | undefined } | { readonly refused: string };

export class WebhookTokens implements TokenAuthenticator {
  readonly name = 'webhook';
  #answers: ExpiringCache<Answer>;
  /** One question at a time for a token: a burst of requests asks once. */
  #asking = new Map<string, Promise<Answer>>();
  readonly #ctx: Context;
  readonly #options: WebhookTokensOptions;

  constructor(ctx: Context, options: WebhookTokensOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#answers = new ExpiringCache(ctx.clock, CACHED);
  }

  async authenticateToken(token: string, audiences: readonly string[]): Promise<TokenAnswer | undefined> {
    const key = createHash('sha256')
      .update(JSON.stringify([token, audiences]))
      .digest('base64');
    const answer = this.#answers.get(key) ?? (await this.#once(key, token, audiences));
    if ('refused' in answer) throw new TokenRefused(answer.refused);
    return answer.found;
  }

  #once(key: string, token: string, audiences: readonly string[]): Promise<Answer> {
    let asking = this.#asking.get(key);
    if (!asking) {
      asking = this.#ask(token, audiences)
        .then((answer) => {
          this.#answers.set(key, answer, this.#options.cacheTtlMs ?? DEFAULT_TTL_MS);
          return answer;
        })
        .finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  async #ask(token: string, audiences: readonly string[]): Promise<Answer> {
    const { version = 'v1', client } = this.#options;
    let answer: Record<string, unknown>;
    try {
      answer = await client.post({
        apiVersion: `authentication.k8s.io/${version}`,
        kind: 'TokenReview',
        metadata: {},
        spec: { token, audiences },
      });
    } catch (error) {
      this.#ctx.logger.error(error, 'The authentication webhook could not be asked');
      throw new TokenRefused((error as Error).message);
    }
    return answerOf((answer['status'] ?? {}) as Partial<TokenReviewStatus>, audiences);
  }
}

function answerOf(
  { authenticated, user, audiences, error }: Partial<TokenReviewStatus>,
  wanted: readonly string[],
): Answer {
  if (!authenticated || !user?.username) return error ? { refused: error } : { found: undefined };
  // A webhook that says nothing of audiences knows only tokens for this server.
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
