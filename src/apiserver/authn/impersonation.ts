import { quote } from '../../base/index.ts';
/**
 * Impersonate-* headers: acting as somebody else, for those who may. There are several rights that allow it, from the
 * narrowest to the oldest: constrained modes (being a node that the caller runs on, any node, a ServiceAccount, a user)
 * ask for `impersonate:MODE` on the identity and for `impersonate-on:MODE:VERB` on the request itself; the legacy mode
 * asks for `impersonate` on the identity alone. The first mode that allows it decides; the first refusal is reported.
 */
import { badRequest } from '../../machinery/errors/index.ts';
import { attributesOf } from '../authz/authorize.ts';
import type { AuthorizationAttributes, Authorizer } from '../authz/authorizer.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { headerOf, headersOf, type ApiRequest, type UserInfo } from '../request/request.ts';
import { isPlainIdentity } from './identity-text.ts';
import { IMPERSONATION_MODES, type Impersonated } from './impersonation-modes.ts';

const EXTRA_PREFIX = 'impersonate-extra-';
const REMEMBERED_USERS = 10_000;

export class Impersonation {
  /** The mode that worked last for a user is tried first. */
  #lastMode = new Map<string, number>();
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /** The user that the request is to be served as: `user` itself when no header asks for another. */
  impersonate(user: UserInfo, info: RequestInfo, request: ApiRequest): UserInfo | Promise<UserInfo> {
    const wanted = wantedUser(request);
    return wanted ? this.#check(wanted, attributesOf(user, info, request.query)) : user;
  }

  async #check(wanted: Impersonated, attributes: AuthorizationAttributes): Promise<UserInfo> {
    let refusal: unknown;
    for (const index of this.#order(attributes.user.name)) {
      const mode = IMPERSONATION_MODES[index]!;
      if (!mode.applies(wanted, attributes.user)) continue;
      try {
        const impersonated = await mode.check(this.#authorizer, wanted, attributes);
        this.#remember(attributes.user.name, index);
        return impersonated;
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal;
  }

  #order(name: string): number[] {
    const last = this.#lastMode.get(name);
    const all = IMPERSONATION_MODES.map((_, index) => index);
    return last === undefined ? all : [last, ...all.filter((index) => index !== last)];
  }

  #remember(name: string, index: number): void {
    if (this.#lastMode.size >= REMEMBERED_USERS) this.#lastMode.clear();
    this.#lastMode.set(name, index);
  }
}

function wantedUser(request: ApiRequest): Impersonated | undefined {
  const name = headerOf(request, 'impersonate-user') ?? '';
  const groups = headersOf(request, 'impersonate-group');
  const uid = headerOf(request, 'impersonate-uid') ?? '';
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
    const key = decodeKey(header.slice(EXTRA_PREFIX.length));
    extra.set(key, [...(extra.get(key) ?? []), ...headersOf(request, header)]);
  }
  return extra ?? NO_EXTRA;
}

function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Upstream shows its own structure here; clients only see that a user name is missing. */
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
