/**
 * The token manager: bound service account tokens of pods by TokenRequest, renewed after 80 percent of their lifetime
 * or 24 hours.
 */
import type { TokenRequest } from '../../api/generated/authentication-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseTime } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { Clock } from '../../kernel/index.ts';

const DAY = 24 * 3600 * 1000;

interface CachedToken {
  readonly token: string;
  readonly refreshAt: number;
  readonly expiresAt: number;
}

interface TokenAudience {
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

export class TokenManager {
  readonly #clock: Clock;
  readonly #client: Client;
  readonly #tokens = new Map<string, CachedToken>();

  constructor(clock: Clock, client: Client) {
    this.#clock = clock;
    this.#client = client;
  }

  async token(pod: Pod, { audience, expirationSeconds = 3600 }: TokenAudience): Promise<CachedToken> {
    const { uid = '', name = '', namespace = '' } = pod.metadata;
    const account = pod.spec?.serviceAccountName || 'default';
    const key = JSON.stringify([uid, account, audience, expirationSeconds]);
    const now = this.#clock.now();
    const cached = this.#tokens.get(key);
    if (cached !== undefined && now < cached.refreshAt) return cached;
    const request: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: {
        audiences: audience ? [audience] : [],
        expirationSeconds,
        boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
      },
    };
    const answer = await this.#client
      .resource('v1/serviceaccounts')
      .subresource<TokenRequest>({ namespace, name: account }, 'token')
      .create(request);
    const expiresAt = parseTime(answer.status?.expirationTimestamp ?? '');
    const refreshAt = Math.min(now + (expiresAt - now) * 0.8, now + DAY);
    const fresh = { token: answer.status?.token ?? '', refreshAt, expiresAt };
    this.#tokens.set(key, fresh);
    return fresh;
  }

  forget(podUid: string): void {
    for (const key of this.#tokens.keys()) if (key.startsWith(`[${JSON.stringify(podUid)},`)) this.#tokens.delete(key);
  }
}
