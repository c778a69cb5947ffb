/**
 * Impersonation: a user with the permission can act as another user with Impersonate-* headers. The constrained modes
 * (the caller's own node, any node, a ServiceAccount, a user) need `impersonate:MODE` on the identity and
 * `impersonate-on:MODE:VERB` on the request; the legacy mode needs only `impersonate` on the identity. The first mode
 * that allows the request decides; otherwise the first denial is returned.
 */
import { quote } from '../../base/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import { attributesOf } from '../authz/authorize.ts';
import type { AuthorizationAttributes, Authorizer } from '../authz/authorizer.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { ApiRequest, UserInfo } from '../request/request.ts';
import { unescapeExtraKey } from './extra-key.ts';
import { identityHeader, identityHeaders } from './identity-headers.ts';
import { isPlainIdentity } from './identity-text.ts';
import type { ImpersonationMetrics } from './impersonation-metrics.ts';
import { IMPERSONATION_MODES, type Impersonated } from './impersonation-modes.ts';

const EXTRA_PREFIX = 'impersonate-extra-';
const MAX_CACHED_USERS = 10_000;

export class Impersonation {
  /** The last mode that allowed a user is tried first. */
  #lastMode = new Map<string, number>();
  readonly #authorizer: Authorizer;

  readonly #metrics: ImpersonationMetrics | undefined;

  constructor(authorizer: Authorizer, metrics?: ImpersonationMetrics) {
    this.#authorizer = metrics?.counting(authorizer) ?? authorizer;
    this.#metrics = metrics;
  }

  /** Returns the impersonated user; `user` itself if there are no impersonation headers. */
  impersonate(user: UserInfo, info: RequestInfo, request: ApiRequest): UserInfo | Promise<UserInfo> {
    const wanted = wantedUser(request);
    return wanted ? this.#check(wanted, attributesOf(user, info, request.query)) : user;
  }

  async #check(wanted: Impersonated, attributes: AuthorizationAttributes): Promise<UserInfo> {
    const startedAt = this.#metrics?.now() ?? 0;
    let denial: unknown;
    for (const index of this.#order(attributes.user.name)) {
      const mode = IMPERSONATION_MODES[index]!;
      if (!mode.applies(wanted, attributes.user)) continue;
      try {
        const impersonated = await mode.check(this.#authorizer, wanted, attributes);
        this.#remember(attributes.user.name, index);
        this.#metrics?.attempted(mode.name, 'allowed', startedAt);
        return impersonated;
      } catch (error) {
        denial ??= error;
      }
    }
    this.#metrics?.attempted('', 'denied', startedAt);
    throw denial;
  }

  #order(name: string): number[] {
    const last = this.#lastMode.get(name);
    const all = IMPERSONATION_MODES.map((_, index) => index);
    return last === undefined ? all : [last, ...all.filter((index) => index !== last)];
  }

  #remember(name: string, index: number): void {
    if (this.#lastMode.size >= MAX_CACHED_USERS) this.#lastMode.clear();
    this.#lastMode.set(name, index);
  }
}

function wantedUser(request: ApiRequest): Impersonated | undefined {
  const name = identityHeader(request, 'impersonate-user') ?? '';
  const groups = identityHeaders(request, 'impersonate-group');
  const uid = identityHeader(request, 'impersonate-uid') ?? '';
  const extra = extraOf(request);
  if (name === '' && groups.length === 0 && uid === '' && extra.size === 0) return undefined;
  if (!isPlainIdentity({ name, uid, groups, extra: Object.fromEntries(extra) })) {
    throw badRequest('impersonation headers may not contain control characters');
  }
  if (name === '') throw withoutUser(uid, groups, extra);
  return { name, uid, groups, extra };
}

const NO_EXTRA: ReadonlyMap<string, readonly string[]> = new Map();

function extraOf(request: ApiRequest): ReadonlyMap<string, readonly string[]> {
  let extra: Map<string, readonly string[]> | undefined;
  for (const header in request.headers) {
    if (!header.startsWith(EXTRA_PREFIX)) continue;
    extra ??= new Map();
    const key = unescapeExtraKey(header.slice(EXTRA_PREFIX.length));
    extra.set(key, [...(extra.get(key) ?? []), ...identityHeaders(request, header)]);
  }
  return extra ?? NO_EXTRA;
}

/** Upstream prints its Go structure in this message. */
function withoutUser(uid: string, groups: readonly string[], extra: ReadonlyMap<string, readonly string[]>): Error {
  const list = (values: readonly string[]): string => `[]string{${values.map(quote).join(', ')}}`;
  const groupText = groups.length === 0 ? '[]string(nil)' : list(groups);
  const extraText =
    extra.size === 0
      ? 'map[string][]string(nil)'
      : `map[string][]string{${[...extra].map(([key, values]) => `${quote(key)}:${list(values)}`).join(', ')}}`;
  return badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${quote(uid)}, Groups:${groupText}, Extra:${extraText}} without impersonating a user name`,
  );
}
