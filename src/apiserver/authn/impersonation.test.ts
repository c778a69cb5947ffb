import { describe, expect, it } from 'vitest';
import type { AuthorizationAttributes, Authorizer } from '../authz/authorizer.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import type { ApiRequest, UserInfo } from '../request/request.ts';
import { Impersonation } from './impersonation.ts';

const CALLER: UserInfo = {
  name: 'system:serviceaccount:a:agent',
  groups: ['system:authenticated'],
  extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
};

/** Allows exactly the questions listed, as `verb group/resource name`; remembers what it was asked. */
function authorizer(...allowed: string[]): Authorizer & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'test',
    asked,
    authorize({ verb, apiGroup, resource, subresource, name }: AuthorizationAttributes) {
      const question = `${verb} ${apiGroup}/${resource}${subresource === '' ? '' : `/${subresource}`} ${name}`.trim();
      asked.push(question);
      return { decision: allowed.includes(question) ? 'allow' : 'no-opinion', reason: '' };
    },
  };
}

async function impersonate(questions: Authorizer, headers: ApiRequest['headers']): Promise<UserInfo | string> {
  const query = new URLSearchParams();
  const path = '/api/v1/namespaces/a/pods';
  const request: ApiRequest = {
    method: 'GET',
    path,
    query,
    headers,
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    remoteAddress: '',
    signal: new AbortController().signal,
  };
  try {
    return await new Impersonation(questions).impersonate(CALLER, parseRequestInfo('GET', path, query), request);
  } catch (error) {
    return (error as Error).message;
  }
}

const on = (mode: string): string => `impersonate-on:${mode}:list /pods`;
const AUTHN = 'authentication.k8s.io';

describe('impersonation', () => {
  const rows: { name: string; allowed: string[]; headers: ApiRequest['headers']; user: Partial<UserInfo> | string }[] =
    [
      {
        name: 'a user, by the legacy right',
        allowed: ['impersonate /users bob'],
        headers: { 'impersonate-user': 'bob' },
        user: { name: 'bob', groups: ['system:authenticated'] },
      },
      {
        name: 'a user whose name is not ASCII',
        allowed: ['impersonate /users bjørn'],
        headers: { 'impersonate-user': Buffer.from('bjørn').toString('latin1') },
        user: { name: 'bjørn', groups: ['system:authenticated'] },
      },
      {
        name: 'a user with groups and more, by the legacy right',
        allowed: [
          'impersonate /users bob',
          'impersonate /groups dev',
          `impersonate ${AUTHN}/uids u`,
          `impersonate ${AUTHN}/userextras/k v`,
        ],
        headers: {
          'impersonate-user': 'bob',
          'impersonate-group': ['dev'],
          'impersonate-uid': 'u',
          'impersonate-extra-k': 'v',
        },
        user: { name: 'bob', uid: 'u', groups: ['dev', 'system:authenticated'], extra: { k: ['v'] } },
      },
      {
        name: 'a user, constrained',
        allowed: [on('user-info'), `impersonate:user-info ${AUTHN}/users bob`],
        headers: { 'impersonate-user': 'bob' },
        user: { name: 'bob' },
      },
      {
        name: 'a user, constrained, but not for this request',
        allowed: [`impersonate:user-info ${AUTHN}/users bob`],
        headers: { 'impersonate-user': 'bob' },
        user: 'pods is forbidden: User "system:serviceaccount:a:agent" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "a"',
      },
      {
        name: 'system:masters is out of reach of a constrained right',
        allowed: [
          on('user-info'),
          `impersonate:user-info ${AUTHN}/users bob`,
          `impersonate:user-info ${AUTHN}/groups system:masters`,
        ],
        headers: { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' },
        user: 'groups.authentication.k8s.io "system:masters" is forbidden: User "system:serviceaccount:a:agent" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
      },
      {
        name: 'a ServiceAccount, constrained',
        allowed: [on('serviceaccount'), `impersonate:serviceaccount ${AUTHN}/serviceaccounts x`],
        headers: { 'impersonate-user': 'system:serviceaccount:b:x' },
        user: { groups: ['system:serviceaccounts', 'system:serviceaccounts:b', 'system:authenticated'] },
      },
      {
        name: 'the node that the caller runs on',
        allowed: [on('associated-node'), `impersonate:associated-node ${AUTHN}/nodes *`],
        headers: { 'impersonate-user': 'system:node:n1' },
        user: { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
      },
      {
        name: 'another node is not covered by that',
        allowed: [on('associated-node'), `impersonate:associated-node ${AUTHN}/nodes *`],
        headers: { 'impersonate-user': 'system:node:n2' },
        user: 'pods is forbidden: User "system:serviceaccount:a:agent" cannot impersonate-on:arbitrary-node:list resource "pods" in API group "" in the namespace "a"',
      },
      {
        name: 'any node',
        allowed: [on('arbitrary-node'), `impersonate:arbitrary-node ${AUTHN}/nodes n2`],
        headers: { 'impersonate-user': 'system:node:n2' },
        user: { groups: ['system:nodes', 'system:authenticated'] },
      },
      {
        name: 'nobody',
        allowed: ['impersonate /users system:anonymous'],
        headers: { 'impersonate-user': 'system:anonymous' },
        user: { groups: ['system:unauthenticated'] },
      },
      {
        name: 'a group without a user',
        allowed: [],
        headers: { 'impersonate-group': 'dev' },
        user: 'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)} without impersonating a user name',
      },
    ];
  it.each(rows)('$name', async ({ allowed, headers, user }) => {
    const result = await impersonate(authorizer(...allowed), headers);
    if (typeof user === 'string') expect(result).toBe(user);
    else expect(result).toMatchObject(user);
  });

  it('makes no check without impersonation headers', async () => {
    const questions = authorizer();
    expect(await impersonate(questions, {})).toBe(CALLER);
    expect(questions.asked).toEqual([]);
  });
});
