/** Asks the API server whose a token is and whether its bearer may read a path. Answers are kept for a moment. */
import { createHash } from 'node:crypto';
import type { SubjectAccessReview } from '../api/generated/authorization-v1.ts';
import type { TokenReview } from '../api/generated/authentication-v1.ts';
import type { Client } from '../client/index.ts';
import type { Clock } from '../kernel/index.ts';

export type Access = 'allowed' | 'forbidden' | 'unauthorized';

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
    const key = createHash('sha256').update(JSON.stringify([token, verb, path])).digest('base64');
    const known = this.#answers.get(key);
    if (known && this.clock.monotonic() < known.until) return known.access;
    const access = await this.#ask(token, verb, path);
    if (this.#answers.size >= KEPT) this.#answers.clear();
    this.#answers.set(key, { access, until: this.clock.monotonic() + KEPT_MS });
    return access;
  }

  async #ask(token: string, verb: string, path: string): Promise<Access> {
    const review: TokenReview = await this.client.resource('authentication.k8s.io/v1/tokenreviews').create({ metadata: {}, spec: { token } });
    const user = review.status?.user;
    if (!review.status?.authenticated || !user) return 'unauthorized';
    const asked: SubjectAccessReview = await this.client.resource('authorization.k8s.io/v1/subjectaccessreviews').create({
      metadata: {},
      spec: { user: user.username, groups: user.groups, uid: user.uid, extra: user.extra, nonResourceAttributes: { verb, path } },
    });
    return asked.status?.allowed ? 'allowed' : 'forbidden';
  }
}
