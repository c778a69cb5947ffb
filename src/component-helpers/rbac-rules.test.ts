import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../api/generated/rbac-v1.ts';
import {
  describeGrant,
  findInRoles,
  identityKeys,
  subjectKey,
  type AccessRequest,
  type RoleGrant,
} from './rbac-rules.ts';

const request = (more: Partial<AccessRequest>): AccessRequest => ({
  verb: 'delete',
  isResourceRequest: true,
  apiGroup: '',
  resource: 'pods',
  subresource: '',
  name: 'web',
  namespace: 'default',
  path: '',
  ...more,
});

const grant = (namespace: string, role: string): RoleGrant => ({
  namespace,
  binding: `bind-${role}`,
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: namespace === '' ? 'ClusterRole' : 'Role', name: role },
  subject: { kind: 'User', name: 'jane' },
});

const rule = (verbs: string, resources: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: [''],
  resources: resources.split(','),
  ...more,
});

const find = (rules: readonly [RoleGrant, PolicyRule[] | undefined][], asked: AccessRequest) =>
  findInRoles(
    rules.map(([one]) => one),
    (one) => rules.find(([other]) => other === one)?.[1],
    asked,
  );

describe('the nearest rules', () => {
  it.each<[string, string, PolicyRule, Partial<AccessRequest>, readonly string[]]>([
    ['another verb', 'default', rule('get,list', 'pods'), {}, ['verb']],
    ['another name', 'default', rule('delete', 'pods', { resourceNames: ['db'] }), {}, ['resourceName']],
    ['another namespace', 'other', rule('delete', 'pods'), {}, ['namespace']],
    ['all namespaces', 'default', rule('delete', 'pods'), { namespace: '', name: '' }, ['namespace']],
    ['another group', 'default', rule('delete', 'pods', { apiGroups: ['apps'] }), {}, ['apiGroup']],
    ['another resource', 'default', rule('delete', 'secrets'), {}, ['resource']],
    ['the subresource', 'default', rule('delete', 'pods'), { subresource: 'log' }, ['resource']],
    [
      'another path',
      '',
      { verbs: ['get'], nonResourceURLs: ['/healthz'] },
      { isResourceRequest: false, verb: 'get', path: '/metrics' },
      ['nonResourceURL'],
    ],
  ])('say what they lack: %s', (_, namespace, given, more, lacks) => {
    const found = find([[grant(namespace, 'r'), [given]]], request(more));
    expect(found.allowedBy).toBeUndefined();
    expect(found.nearest.map((miss) => miss.lacks)).toEqual([lacks]);
  });

  it.each<[string, PolicyRule, Partial<AccessRequest>]>([
    ['the verb', rule('delete', 'pods'), {}],
    ['all verbs and groups', rule('*', 'pods', { apiGroups: ['*'] }), {}],
    ['all resources', rule('delete', '*'), { subresource: 'log' }],
    ['a subresource of all resources', rule('delete', '*/log'), { subresource: 'log' }],
    ['the name', rule('delete', 'pods', { resourceNames: ['web'] }), {}],
    [
      'a path with a star',
      { verbs: ['get'], nonResourceURLs: ['/api*'] },
      { isResourceRequest: false, verb: 'get', path: '/api/v1' },
    ],
  ])('are none where one allows it by %s', (_, given, more) => {
    const one = grant('', 'r');
    expect(find([[one, [rule('get', 'pods'), given]]], request(more))).toEqual({
      allowedBy: { grant: one, rule: given },
      nearest: [],
      bindings: 1,
    });
  });

  it('come first, and what is far from them is left out', () => {
    const [near, far] = [grant('default', 'near'), grant('', 'far')];
    const found = find(
      [
        [far, [rule('get', 'nodes')]],
        [near, [rule('get', 'pods')]],
      ],
      request({}),
    );
    expect(found.nearest.map((miss) => miss.grant)).toEqual([near]);
    expect(found.bindings).toBe(2);
  });

  it('name bindings to roles that do not exist', () => {
    expect(find([[grant('default', 'gone'), undefined]], request({})).nearest).toMatchObject([{ lacks: ['role'] }]);
  });
});

it('knows the user of a ServiceAccount', () => {
  const keys = identityKeys({ name: 'system:serviceaccount:a:b', groups: ['g'] });
  expect(keys).toContain(subjectKey({ kind: 'ServiceAccount', name: 'b' }, 'a'));
  expect(keys).toContain(subjectKey({ kind: 'Group', name: 'g' }, ''));
  expect(subjectKey({ kind: 'ServiceAccount', name: 'b' }, '')).toBeUndefined();
});

it("describes a grant in upstream's words", () => {
  expect(describeGrant(grant('default', 'r'))).toBe('RoleBinding "bind-r/default" of Role "r" to User "jane"');
});
