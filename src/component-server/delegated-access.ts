/** Asks the API server whose a token is and whether somebody may read a path. Answers are kept for a moment. */
import { createHash } from 'node:crypto';
import type { TokenReview, UserInfo } from '../api/generated/authentication-v1.ts';
import type { SubjectAccessReview } from '../api/generated/authorization-v1.ts';
import type { Client } from '../client/index.ts';
import type { Clock } from '../kernel/index.ts';

export type Access = 'allowed' | 'forbidden' | 'unauthorized';

/** Whom a client certificate is for. */
export interface CertificateUser {
  readonly name: string;
  readonly groups: readonly string[];
}

const KEPT_MS = 10_000;
const KEPT = 1_000;

export class DelegatedAccess {
  readonly #answers = new Map<string, { readonly access: Access; readonly until: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly client: Client,
  ) {}

  async check(authorization: string | undefined, verb: string, path: string): Promise<Access> {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
    if (token === undefined) return 'unauthorized';
    return this.#known([token, verb, path], () => this.#askAboutToken(token, verb, path));
  }

  /** For those who have shown a certificate that the cluster's authority has signed. */
  checkUser(user: CertificateUser, verb: string, path: string): Promise<Access> {
    return this.#known([user, verb, path], () =>
      this.#ask({ username: user.name, groups: [...user.groups, 'system:authenticated'] }, verb, path),
    );
  }

  async #known(question: readonly unknown[], ask: () => Promise<Access>): Promise<Access> {
    const key = createHash('sha256').update(JSON.stringify(question)).digest('base64');
    const known = this.#answers.get(key);
    if (known && this.clock.monotonic() < known.until) return known.access;
    const access = await ask();
    if (this.#answers.size >= KEPT) this.#answers.clear();
    this.#answers.set(key, { access, until: this.clock.monotonic() + KEPT_MS });
    return access;
  }

  async #askAboutToken(token: string, verb: string, path: string): Promise<Access> {
    const review: TokenReview = await this.client
      .resource('authentication.k8s.io/v1/tokenreviews')
      .create({ metadata: {}, spec: { token } });
    const user = review.status?.user;
    if (!review.status?.authenticated || !user) return 'unauthorized';
    return this.#ask(user, verb, path);
  }

  async #ask(user: UserInfo, verb: string, path: string): Promise<Access> {
    const asked: SubjectAccessReview = await this.client
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
    return asked.status?.allowed ? 'allowed' : 'forbidden';
  }
}
