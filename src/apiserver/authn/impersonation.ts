/** Impersonate-* headers: acting as somebody else, for those who may. */
import { badRequest } from '../../machinery/status.ts';
import { quote } from '../../machinery/quote.ts';
import { forbiddenRequest } from '../authz/authorize.ts';
import type { AuthorizationAttributes } from '../authz/authorizer.ts';
import { headerOf, headersOf, type ApiRequest, type UserInfo } from '../request.ts';
import type { Backend } from '../scope.ts';

const EXTRA_PREFIX = 'impersonate-extra-';
const SERVICE_ACCOUNT = 'system:serviceaccount:';

export async function impersonate(backend: Backend, user: UserInfo, request: ApiRequest): Promise<UserInfo> {
  const name = headerOf(request, 'impersonate-user') ?? '';
  const groups = headersOf(request, 'impersonate-group');
  const uid = headerOf(request, 'impersonate-uid') ?? '';
  const extra = extraOf(request);
  if (name === '') {
    if (groups.length > 0 || uid !== '' || extra.size > 0) throw withoutUser(uid, groups, extra);
    return user;
  }
  const questions = impersonationQuestions(user, { name, uid, groups, extra });
  for (const question of questions) {
    const { decision, reason } = await backend.authorizer.authorize(question);
    if (decision !== 'allow') throw forbiddenRequest(question, reason);
  }
  return {
    name,
    ...(uid !== '' ? { uid } : {}),
    groups: impersonatedGroups(name, groups),
    ...(extra.size > 0 ? { extra: Object.fromEntries(extra) } : {}),
  };
}

interface Impersonated {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

function impersonationQuestions(user: UserInfo, wanted: Impersonated): AuthorizationAttributes[] {
  const ask = (resource: string, name: string, more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes => ({
    user,
    verb: 'impersonate',
    isResourceRequest: true,
    apiGroup: '',
    apiVersion: 'v1',
    namespace: '',
    resource,
    subresource: '',
    name,
    path: '',
    ...more,
  });
  const questions: AuthorizationAttributes[] = [];
  const account = serviceAccountOf(wanted.name);
  questions.push(account ? ask('serviceaccounts', account.name, { namespace: account.namespace }) : ask('users', wanted.name));
  for (const group of wanted.groups) questions.push(ask('groups', group));
  for (const [key, values] of wanted.extra) {
    for (const value of values) questions.push(ask('userextras', value, { apiGroup: 'authentication.k8s.io', subresource: key }));
  }
  if (wanted.uid !== '') questions.push(ask('uids', wanted.uid, { apiGroup: 'authentication.k8s.io' }));
  return questions;
}

function serviceAccountOf(name: string): { namespace: string; name: string } | undefined {
  if (!name.startsWith(SERVICE_ACCOUNT)) return undefined;
  const parts = name.slice(SERVICE_ACCOUNT.length).split(':');
  return parts.length === 2 && parts[0] && parts[1] ? { namespace: parts[0], name: parts[1] } : undefined;
}

function impersonatedGroups(name: string, groups: readonly string[]): string[] {
  const account = serviceAccountOf(name);
  const all = groups.length === 0 && account ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`] : [...groups];
  if (name === 'system:anonymous') return all.includes('system:unauthenticated') ? all : [...all, 'system:unauthenticated'];
  return all.includes('system:authenticated') || all.includes('system:unauthenticated') ? all : [...all, 'system:authenticated'];
}

function extraOf(request: ApiRequest): Map<string, readonly string[]> {
  const extra = new Map<string, readonly string[]>();
  for (const header of Object.keys(request.headers)) {
    if (!header.startsWith(EXTRA_PREFIX)) continue;
    const key = decodeKey(header.slice(EXTRA_PREFIX.length));
    extra.set(key, headersOf(request, header));
  }
  return extra;
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
    extra.size === 0 ? 'map[string][]string(nil)' : `map[string][]string{${[...extra].map(([key, values]) => `${quote(key)}:${list(values)}`).join(', ')}}`;
  return badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${quote(uid)}, Groups:${groupText}, Extra:${extraText}} without impersonating a user name`,
  );
}
