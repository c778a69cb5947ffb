/**
 * Delegated authentication and authorization: TokenReview and SubjectAccessReview against the API server, with a short
 * cache.
 */
import { createHash } from 'node:crypto';
import type { TokenReview, UserInfo } from '../api/generated/authentication-v1.ts';
import type { SubjectAccessReview } from '../api/generated/authorization-v1.ts';
import type { Client } from '../client/index.ts';
import type { Clock } from '../kernel/index.ts';

export type Access = 'allowed' | 'forbidden' | 'unauthorized';

/** The user of a client certificate, or nobody. */
export interface CertificateUser {
  readonly name: string;
  readonly groups: readonly string[];
}

const CACHE_TTL_MS = 10_000;
const MAX_CACHED = 1_000;

export class DelegatedAccess {
  readonly #answers = new Map<string, { readonly access: Access; readonly until: number }>();

  readonly #clock: Clock;
  readonly #client: Client;

  constructor(clock: Clock, client: Client) {
    this.#clock = clock;
    this.#client = client;
  }

  async check(authorization: string | undefined, verb: string, path: string): Promise<Access> {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
    if (token === undefined) return 'unauthorized';
    return this.#cached([token, verb, path], () => this.#reviewToken(token, verb, path));
  }

  /** For clients with a certificate that the client CA has signed, and for anonymous ones. */
  checkUser(user: CertificateUser, verb: string, path: string): Promise<Access> {
    return this.#cached([user, verb, path], () =>
      this.#reviewAccess({ username: user.name, groups: [...user.groups] }, verb, path),
    );
  }

  async #cached(key: readonly unknown[], review: () => Promise<Access>): Promise<Access> {
    const digest = createHash('sha256').update(JSON.stringify(key)).digest('base64');
    const known = this.#answers.get(digest);
    if (known && this.#clock.monotonic() < known.until) return known.access;
    const access = await review();
    if (this.#answers.size >= MAX_CACHED) this.#answers.clear();
    this.#answers.set(digest, { access, until: this.#clock.monotonic() + CACHE_TTL_MS });
    return access;
  }

  async #reviewToken(token: string, verb: string, path: string): Promise<Access> {
    const review: TokenReview = await this.#client
      .resource('authentication.k8s.io/v1/tokenreviews')
      .create({ metadata: {}, spec: { token } });
    const user = review.status?.user;
    if (!review.status?.authenticated || !user) return 'unauthorized';
    return this.#reviewAccess(user, verb, path);
  }

  async #reviewAccess(user: UserInfo, verb: string, path: string): Promise<Access> {
    const review: SubjectAccessReview = await this.#client
      .resource('authorization.k8s.io/v1/subjectaccessreviews')
      .create({
        metadata: {},
        spec: {
          user: user.username,
          groups: user.groups,
          uid: user.uid,
          extra: user.extra,
          nonResourceAttributes: { verb, path },
        },
      });
    return review.status?.allowed ? 'allowed' : 'forbidden';
  }
}
