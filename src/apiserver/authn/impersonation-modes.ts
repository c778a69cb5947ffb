/** The ways in which impersonation can be allowed, and what each asks the authorizers. */
import { quote } from '../../base/index.ts';
import { dns1123Subdomain } from '../../machinery/names/index.ts';
import { forbiddenRequest } from '../authz/authorize.ts';
import type { AuthorizationAttributes, Authorizer } from '../authz/authorizer.ts';
import type { UserInfo } from '../request/request.ts';

/** Whom the headers ask for. */
export interface Impersonated {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

export interface ImpersonationMode {
  /** Whether the mode can express this impersonation at all. */
  applies(wanted: Impersonated, requestor: UserInfo): boolean;
  /** Whom the request is then served as; fails with 403. */
  check(authorizer: Authorizer, wanted: Impersonated, request: AuthorizationAttributes): Promise<UserInfo>;
}

const AUTHENTICATION = 'authentication.k8s.io';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const ASSOCIATED_KEYS = 'authentication.kubernetes.io/associated-node-keys';
const SERVICE_ACCOUNT = 'system:serviceaccount:';
const NODE = 'system:node:';
/** From so many questions on, one for all of them is tried first. */
const MANY = 4;

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
    applies: () => true,
    check: (authorizer, wanted, { user }) =>
      checkIdentity(new Questions(authorizer, user, 'impersonate', false), wanted),
  },
];

function constrained(mode: string, applies: ImpersonationMode['applies']): ImpersonationMode {
  return {
    applies,
    async check(authorizer, wanted, request) {
      const user = mode === 'associated-node' ? anyAssociatedNode(request.user) : request.user;
      await ask(authorizer, { ...request, user, verb: `impersonate-on:${mode}:${request.verb}` });
      return checkIdentity(new Questions(authorizer, user, `impersonate:${mode}`, true), wanted);
    },
  };
}

/** The right to be the node that one runs on does not depend on which one that is. */
const anyAssociatedNode = (user: UserInfo): UserInfo => ({
  ...user,
  extra: { [ASSOCIATED_KEYS]: Object.keys(user.extra ?? {}).sort() },
});

class Questions {
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

  ask = (resource: string, name: string, more?: Partial<AuthorizationAttributes>): Promise<void> =>
    ask(this.#authorizer, this.attributes(resource, name, more));

  async allows(resource: string, name: string, more?: Partial<AuthorizationAttributes>): Promise<boolean> {
    return (await this.#authorizer.authorize(this.attributes(resource, name, more))).decision === 'allow';
  }

  refuse(resource: string, name: string, reason: string): never {
    throw forbiddenRequest(this.attributes(resource, name), reason);
  }
}

async function ask(authorizer: Authorizer, attributes: AuthorizationAttributes): Promise<void> {
  const { decision, reason, error } = await authorizer.authorize(attributes);
  if (decision === 'allow') return;
  throw forbiddenRequest(attributes, error && reason !== '' ? `${error}: ${reason}` : (error ?? reason));
}

async function checkIdentity(questions: Questions, wanted: Impersonated): Promise<UserInfo> {
  const groups = await checkName(questions, wanted);
  if (wanted.uid !== '') await questions.ask('uids', wanted.uid);
  await checkGroups(questions, wanted.groups);
  await checkExtra(questions, wanted.extra);
  return {
    name: wanted.name,
    ...(wanted.uid !== '' ? { uid: wanted.uid } : {}),
    groups: withBasicGroup(wanted.name, groups),
    ...(wanted.extra.size > 0 ? { extra: Object.fromEntries(wanted.extra) } : {}),
  };
}

/** The groups that come with the name. */
async function checkName(questions: Questions, { name, groups }: Impersonated): Promise<readonly string[]> {
  const node = questions.constrained ? nodeOf(name) : undefined;
  const account = serviceAccountOf(name);
  if (node !== undefined) {
    const resource = questions.verb === 'impersonate:associated-node' ? '*' : node;
    await questions.ask('nodes', resource);
    return ['system:nodes'];
  }
  if (account) {
    await questions.ask('serviceaccounts', account.name, { namespace: account.namespace });
    return groups.length === 0 ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`] : groups;
  }
  await questions.ask('users', name);
  return groups;
}

async function checkGroups(questions: Questions, groups: readonly string[]): Promise<void> {
  if (questions.constrained) {
    if (groups.includes('')) questions.refuse('groups', '', 'impersonating the empty string group is not allowed');
    if (groups.includes('system:masters'))
      questions.refuse('groups', 'system:masters', 'impersonating the system:masters group is not allowed');
    if (groups.length >= MANY && (await questions.allows('groups', '*'))) return;
  }
  for (const group of groups) await questions.ask('groups', group);
}

async function checkExtra(questions: Questions, extra: Impersonated['extra']): Promise<void> {
  if (questions.constrained) {
    const problem = extraProblem(extra);
    if (problem) questions.refuse('userextras', '', problem);
    const count = [...extra.values()].reduce((sum, values) => sum + values.length, 0);
    if (count >= MANY && (await questions.allows('userextras', '*', { subresource: '*' }))) return;
  }
  for (const [key, values] of extra)
    for (const value of values) await questions.ask('userextras', value, { subresource: key });
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

/** Everybody is in one of two groups. */
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
