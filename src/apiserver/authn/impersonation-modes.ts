/** The impersonation modes: constrained impersonation and the legacy mode, with the permissions that each needs. */
import { quote } from '../../base/index.ts';
import { dns1123Subdomain } from '../../machinery/names/index.ts';
import { forbiddenRequest } from '../authz/authorize.ts';
import type { AuthorizationAttributes, Authorizer } from '../authz/authorizer.ts';
import type { UserInfo } from '../request/request.ts';

/** The user in the Impersonate-* headers. */
export interface Impersonated {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

interface ImpersonationMode {
  readonly name: string;
  /** Whether the mode covers this impersonation. */
  applies(wanted: Impersonated, requestor: UserInfo): boolean;
  /** Returns the impersonated user. Throws a 403. */
  check(authorizer: Authorizer, wanted: Impersonated, request: AuthorizationAttributes): Promise<UserInfo>;
}

const AUTHENTICATION = 'authentication.k8s.io';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const ASSOCIATED_KEYS = 'authentication.kubernetes.io/associated-node-keys';
const SERVICE_ACCOUNT = 'system:serviceaccount:';
const NODE = 'system:node:';
/** For this many groups or extra values, check the permission on `*` before each one. */
const WILDCARD_THRESHOLD = 4;

export const IMPERSONATION_MODES: readonly ImpersonationMode[] = [
  constrained('associated-node', (wanted, requestor) => {
    const node = nodeOf(wanted.name);
    return (
      nameOnly(wanted) &&
      node !== undefined &&
      !!serviceAccountOf(requestor.name) &&
      onlyValue(requestor, NODE_NAME) === node
    );
  }),
  constrained('arbitrary-node', (wanted) => nameOnly(wanted) && nodeOf(wanted.name) !== undefined),
  constrained('serviceaccount', (wanted) => nameOnly(wanted) && serviceAccountOf(wanted.name) !== undefined),
  constrained(
    'user-info',
    (wanted) => nodeOf(wanted.name) === undefined && serviceAccountOf(wanted.name) === undefined,
  ),
  {
    name: 'legacy',
    applies: () => true,
    check: (authorizer, wanted, { user }) =>
      checkIdentity(new ImpersonationAuthorizer(authorizer, user, 'impersonate', false), wanted),
  },
];

function constrained(mode: string, applies: ImpersonationMode['applies']): ImpersonationMode {
  return {
    name: mode,
    applies,
    async check(authorizer, wanted, request) {
      const user = mode === 'associated-node' ? anyAssociatedNode(request.user) : request.user;
      await requireAllowed(authorizer, { ...request, user, verb: `impersonate-on:${mode}:${request.verb}` });
      return checkIdentity(new ImpersonationAuthorizer(authorizer, user, `impersonate:${mode}`, true), wanted);
    },
  };
}

/** The permission to impersonate one's own node does not depend on the node, so its name is left out. */
const anyAssociatedNode = (user: UserInfo): UserInfo => ({
  ...user,
  extra: { [ASSOCIATED_KEYS]: Object.keys(user.extra ?? {}).sort() },
});

class ImpersonationAuthorizer {
  readonly #authorizer: Authorizer;
  readonly #user: UserInfo;

  constructor(
    authorizer: Authorizer,
    user: UserInfo,
    readonly verb: string,
    readonly constrained: boolean,
  ) {
    this.#authorizer = authorizer;
    this.#user = user;
  }

  attributes(resource: string, name: string, more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes {
    const authentication = this.constrained || resource === 'uids' || resource === 'userextras';
    return {
      user: this.#user,
      verb: this.verb,
      isResourceRequest: true,
      apiGroup: authentication ? AUTHENTICATION : '',
      apiVersion: 'v1',
      namespace: '',
      resource,
      subresource: '',
      name,
      path: '',
      ...more,
    };
  }

  requireAllowed = (resource: string, name: string, more?: Partial<AuthorizationAttributes>): Promise<void> =>
    requireAllowed(this.#authorizer, this.attributes(resource, name, more));

  async allows(resource: string, name: string, more?: Partial<AuthorizationAttributes>): Promise<boolean> {
    return (await this.#authorizer.authorize(this.attributes(resource, name, more))).decision === 'allow';
  }

  forbid(resource: string, name: string, reason: string): never {
    throw forbiddenRequest(this.attributes(resource, name), reason);
  }
}

async function requireAllowed(authorizer: Authorizer, attributes: AuthorizationAttributes): Promise<void> {
  const { decision, reason, error } = await authorizer.authorize(attributes);
  if (decision === 'allow') return;
  throw forbiddenRequest(attributes, error && reason !== '' ? `${error}: ${reason}` : (error ?? reason));
}

async function checkIdentity(access: ImpersonationAuthorizer, wanted: Impersonated): Promise<UserInfo> {
  const groups = await checkName(access, wanted);
  if (wanted.uid !== '') await access.requireAllowed('uids', wanted.uid);
  await checkGroups(access, wanted.groups);
  await checkExtra(access, wanted.extra);
  return {
    name: wanted.name,
    ...(wanted.uid !== '' ? { uid: wanted.uid } : {}),
    groups: withBasicGroup(wanted.name, groups),
    ...(wanted.extra.size > 0 ? { extra: Object.fromEntries(wanted.extra) } : {}),
  };
}

/** Returns the groups of the impersonated user. */
async function checkName(access: ImpersonationAuthorizer, { name, groups }: Impersonated): Promise<readonly string[]> {
  const node = access.constrained ? nodeOf(name) : undefined;
  const account = serviceAccountOf(name);
  if (node !== undefined) {
    const resource = access.verb === 'impersonate:associated-node' ? '*' : node;
    await access.requireAllowed('nodes', resource);
    return ['system:nodes'];
  }
  if (account) {
    await access.requireAllowed('serviceaccounts', account.name, { namespace: account.namespace });
    return groups.length === 0 ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`] : groups;
  }
  await access.requireAllowed('users', name);
  return groups;
}

async function checkGroups(access: ImpersonationAuthorizer, groups: readonly string[]): Promise<void> {
  if (access.constrained) {
    if (groups.includes('')) access.forbid('groups', '', 'impersonating the empty string group is not allowed');
    if (groups.includes('system:masters'))
      access.forbid('groups', 'system:masters', 'impersonating the system:masters group is not allowed');
    if (groups.length >= WILDCARD_THRESHOLD && (await access.allows('groups', '*'))) return;
  }
  for (const group of groups) await access.requireAllowed('groups', group);
}

async function checkExtra(access: ImpersonationAuthorizer, extra: Impersonated['extra']): Promise<void> {
  if (access.constrained) {
    const problem = extraProblem(extra);
    if (problem) access.forbid('userextras', '', problem);
    const count = [...extra.values()].reduce((sum, values) => sum + values.length, 0);
    if (count >= WILDCARD_THRESHOLD && (await access.allows('userextras', '*', { subresource: '*' }))) return;
  }
  for (const [key, values] of extra)
    for (const value of values) await access.requireAllowed('userextras', value, { subresource: key });
}

function extraProblem(extra: Impersonated['extra']): string | undefined {
  for (const [key, values] of extra) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    if (!/^[^/]+\/.+$/.test(key))
      return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${quote(key)}: must be a domain-prefixed path (such as "acme.io/foo")`;
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`;
    if (values.length === 0) return 'impersonating empty values in extra is not allowed';
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

/** Every user is in system:authenticated or system:unauthenticated. */
function withBasicGroup(name: string, groups: readonly string[]): readonly string[] {
  if (name === 'system:anonymous') return withGroup(groups, 'system:unauthenticated');
  return groups.includes('system:unauthenticated') ? groups : withGroup(groups, 'system:authenticated');
}

const withGroup = (groups: readonly string[], group: string): readonly string[] =>
  groups.includes(group) ? groups : [...groups, group];

const nameOnly = ({ uid, groups, extra }: Impersonated): boolean =>
  uid === '' && groups.length === 0 && extra.size === 0;

function onlyValue({ extra }: UserInfo, key: string): string | undefined {
  const values = extra?.[key] ?? [];
  return values.length === 1 ? values[0] : undefined;
}

function nodeOf(username: string): string | undefined {
  if (!username.startsWith(NODE)) return undefined;
  const name = username.slice(NODE.length);
  return dns1123Subdomain(name).length === 0 ? name : undefined;
}

function serviceAccountOf(username: string): { namespace: string; name: string } | undefined {
  if (!username.startsWith(SERVICE_ACCOUNT)) return undefined;
  const parts = username.slice(SERVICE_ACCOUNT.length).split(':');
  return parts.length === 2 && parts[0] && parts[1] ? { namespace: parts[0], name: parts[1] } : undefined;
}
