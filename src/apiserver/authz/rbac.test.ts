import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserInfo } from '../request/request.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { AbacAuthorizer } from './abac.ts';
import type { AuthorizationAttributes } from './authorizer.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;
let server: TestServer;
const user = (name: string, ...groups: string[]): UserInfo => ({ name, groups: [...groups, 'system:authenticated'] });

beforeAll(async () => {
  server = await startTestServer();
  await role('reader', [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] }]);
  await role('one', [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['*'] }]);
  await role('scaler', [{ apiGroups: ['*'], resources: ['*/scale'], verbs: ['update'] }]);
  await role('writer', [
    { apiGroups: [GROUP], resources: ['roles', 'rolebindings'], verbs: ['create', 'get', 'patch', 'update'] },
  ]);
  await bind('reader', 'Role', 'reader', [
    { kind: 'User', apiGroup: GROUP, name: 'jane' },
    { kind: 'ServiceAccount', name: 'bot' },
  ]);
  await bind('one', 'Role', 'one', [{ kind: 'Group', apiGroup: GROUP, name: 'devs' }]);
  await bind('scaler', 'Role', 'scaler', [{ kind: 'User', apiGroup: GROUP, name: 'jane' }]);
  await bind('writer', 'Role', 'writer', [{ kind: 'User', apiGroup: GROUP, name: 'jane' }]);
  await bind('broken', 'Role', 'ghost', [{ kind: 'User', apiGroup: GROUP, name: 'lost' }]);
});
afterAll(() => server.stop());

const role = (name: string, rules: object[], options: { user?: UserInfo } = {}) =>
  server.call('POST', `${RBAC}/namespaces/default/roles`, {
    body: { apiVersion: API_VERSION, kind: 'Role', metadata: { name }, rules },
    ...options,
  });
const bind = (name: string, kind: string, role: string, subjects: object[], options: { user?: UserInfo } = {}) =>
  server.call('POST', `${RBAC}/namespaces/default/rolebindings`, {
    body: {
      apiVersion: API_VERSION,
      kind: 'RoleBinding',
      metadata: { name },
      roleRef: { apiGroup: GROUP, kind, name: role },
      subjects,
    },
    ...options,
  });

function ask(
  who: UserInfo,
  verb: string,
  resource: string,
  more: Partial<AuthorizationAttributes> = {},
): { decision: string; reason: string } {
  const [name = '', subresource = ''] = resource.split('/');
  const attributes = {
    user: who,
    verb,
    isResourceRequest: true,
    apiGroup: '',
    apiVersion: 'v1',
    namespace: 'default',
    resource: name,
    subresource,
    name: '',
    path: '',
    ...more,
  };
  return server.pipeline.chain.backend.authorizer.authorize(attributes) as { decision: string; reason: string };
}

describe('RBAC', () => {
  const rows: {
    name: string;
    who: UserInfo;
    verb: string;
    resource: string;
    more?: Partial<AuthorizationAttributes>;
    allowed: boolean;
  }[] = [
    { name: 'a verb that the role has', who: user('jane'), verb: 'get', resource: 'pods', allowed: true },
    { name: 'a verb that it has not', who: user('jane'), verb: 'delete', resource: 'pods', allowed: false },
    {
      name: 'another namespace',
      who: user('jane'),
      verb: 'get',
      resource: 'pods',
      more: { namespace: 'other' },
      allowed: false,
    },
    {
      name: 'all namespaces',
      who: user('jane'),
      verb: 'list',
      resource: 'pods',
      more: { namespace: '' },
      allowed: false,
    },
    { name: 'a subresource that is named', who: user('jane'), verb: 'get', resource: 'pods/log', allowed: true },
    { name: 'a subresource that is not', who: user('jane'), verb: 'get', resource: 'pods/exec', allowed: false },
    {
      name: 'a subresource of all resources',
      who: user('jane'),
      verb: 'update',
      resource: 'deployments/scale',
      more: { apiGroup: 'apps' },
      allowed: true,
    },
    {
      name: 'another group of the API',
      who: user('jane'),
      verb: 'get',
      resource: 'pods',
      more: { apiGroup: 'metrics.k8s.io' },
      allowed: false,
    },
    {
      name: 'a name that is listed',
      who: user('bob', 'devs'),
      verb: 'patch',
      resource: 'configmaps',
      more: { name: 'mine' },
      allowed: true,
    },
    {
      name: 'a name that is not',
      who: user('bob', 'devs'),
      verb: 'patch',
      resource: 'configmaps',
      more: { name: 'yours' },
      allowed: false,
    },
    {
      name: 'no name where names are listed',
      who: user('bob', 'devs'),
      verb: 'list',
      resource: 'configmaps',
      allowed: false,
    },
    {
      name: 'a ServiceAccount of the binding’s namespace',
      who: user('system:serviceaccount:default:bot'),
      verb: 'get',
      resource: 'pods',
      allowed: true,
    },
    {
      name: 'one of the same name elsewhere',
      who: user('system:serviceaccount:other:bot'),
      verb: 'get',
      resource: 'pods',
      allowed: false,
    },
    {
      name: 'a user named as a group',
      who: user('devs'),
      verb: 'patch',
      resource: 'configmaps',
      more: { name: 'mine' },
      allowed: false,
    },
    {
      name: 'a path for everybody',
      who: user('anyone'),
      verb: 'get',
      resource: '',
      more: { isResourceRequest: false, path: '/api/v1' },
      allowed: true,
    },
    {
      name: 'a path for nobody',
      who: user('anyone'),
      verb: 'get',
      resource: '',
      more: { isResourceRequest: false, path: '/metrics' },
      allowed: false,
    },
    {
      name: 'system:masters, whatever it is',
      who: user('root', 'system:masters'),
      verb: 'anything',
      resource: 'at/all',
      allowed: true,
    },
  ];
  it.each(rows)('$name: $allowed', ({ who, verb, resource, more, allowed }) => {
    expect(ask(who, verb, resource, more).decision).toBe(allowed ? 'allow' : 'no-opinion');
  });

  it('names the binding that allowed it, or the missing role', () => {
    expect(ask(user('jane'), 'get', 'pods').reason).toBe(
      'RBAC: allowed by RoleBinding "reader/default" of Role "reader" to User "jane"',
    );
    expect(ask(user('system:serviceaccount:default:bot'), 'get', 'pods').reason).toContain(
      'to ServiceAccount "bot/default"',
    );
    expect(ask(user('lost'), 'get', 'pods').reason).toBe('RBAC: role.rbac.authorization.k8s.io "ghost" not found');
  });

  it('follows changes of roles and bindings at once', async () => {
    const who = user('late');
    expect(ask(who, 'get', 'secrets').decision).toBe('no-opinion');
    await role('late', []);
    await bind('late', 'Role', 'late', [{ kind: 'User', apiGroup: GROUP, name: 'late' }]);
    expect(ask(who, 'get', 'secrets').decision).toBe('no-opinion');
    await server.call('PATCH', `${RBAC}/namespaces/default/roles/late`, {
      body: { rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] },
      contentType: 'application/merge-patch+json',
    });
    expect(ask(who, 'get', 'secrets').decision).toBe('allow');
    await server.call('DELETE', `${RBAC}/namespaces/default/rolebindings/late`);
    expect(ask(who, 'get', 'secrets').decision).toBe('no-opinion');
  });
});

describe('users cannot grant permissions that they do not have', () => {
  const pods = (...verbs: string[]): object => ({ apiGroups: [''], resources: ['pods'], verbs });
  const rows = [
    { name: 'a role within one’s own rights', rules: [pods('get')], status: 201, message: '' },
    {
      name: 'a verb more',
      rules: [pods('get', 'delete', 'create')],
      status: 403,
      message: '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "create"]}',
    },
    { name: 'a star', rules: [pods('*')], status: 403, message: '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}' },
    {
      name: 'a name that is within a general right',
      rules: [{ apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['get'] }],
      status: 201,
      message: '',
    },
    {
      name: 'several rules, sorted',
      rules: [
        { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get'] },
        { apiGroups: ['apps'], resources: ['deployments', 'daemonsets'], verbs: ['get'] },
      ],
      status: 403,
      message:
        '{APIGroups:["apps"], Resources:["daemonsets"], Verbs:["get"]}\n{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}\n{APIGroups:["batch"], Resources:["jobs"], Verbs:["get"]}',
    },
  ];
  it.each(rows)('$name: $status', async ({ rules, status, message }) => {
    const answer = await role(`r-${rows.findIndex((row) => row.rules === rules)}`, rules, { user: user('jane') });
    expect(answer.status).toBe(status);
    expect(answer.body['message'] ?? '').toContain(message);
    if (status === 403)
      expect(answer.body['message']).toContain(
        'user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n',
      );
  });

  it('nor by changing a label of a role with more permissions', async () => {
    await role('beyond', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]);
    const patch = (body: object) =>
      server.call('PATCH', `${RBAC}/namespaces/default/roles/beyond`, {
        body,
        contentType: 'application/merge-patch+json',
        user: user('jane'),
      });
    expect((await patch({ metadata: { labels: { a: 'b' } } })).status).toBe(403);
    expect((await patch({ metadata: { finalizers: ['example.com/x'] } })).status).toBe(200);
  });

  it('by a binding, unless the role may be bound', async () => {
    const subjects = [{ kind: 'User', apiGroup: GROUP, name: 'jane' }];
    const refused = await bind('up', 'ClusterRole', 'cluster-admin', subjects, { user: user('jane') });
    expect(refused.status).toBe(403);
    expect(refused.body['message']).toContain(
      '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
    );
    expect((await bind('up', 'ClusterRole', 'ghost', subjects, { user: user('jane') })).body['message']).toBe(
      `rolebindings.${GROUP} "ghost" not found`,
    );
    await role('binder', [
      { apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['cluster-admin'], verbs: ['bind'] },
    ]);
    await bind('binder', 'Role', 'binder', subjects);
    expect((await bind('up', 'ClusterRole', 'cluster-admin', subjects, { user: user('jane') })).status).toBe(201);
  });
});

describe('ABAC', () => {
  const policy = (spec: object): string =>
    JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });
  const abac = new AbacAuthorizer(
    [
      '# who may do what',
      policy({ user: 'alice', namespace: '*', resource: '*', apiGroup: '*' }),
      policy({ group: 'readers', namespace: 'a', resource: 'pods', readonly: true }),
      policy({ user: '*', nonResourcePath: '/version*', readonly: true }),
      policy({ namespace: '*', resource: '*' }),
    ].join('\n'),
  );
  const rows: { name: string; who: UserInfo; asked: Partial<AuthorizationAttributes>; allowed: boolean }[] = [
    {
      name: 'a user, everything',
      who: user('alice'),
      asked: { verb: 'delete', resource: 'secrets', namespace: 'b' },
      allowed: true,
    },
    {
      name: 'a group, reading',
      who: user('bob', 'readers'),
      asked: { verb: 'list', resource: 'pods', namespace: 'a' },
      allowed: true,
    },
    {
      name: 'a group, writing',
      who: user('bob', 'readers'),
      asked: { verb: 'create', resource: 'pods', namespace: 'a' },
      allowed: false,
    },
    {
      name: 'another namespace',
      who: user('bob', 'readers'),
      asked: { verb: 'list', resource: 'pods', namespace: 'b' },
      allowed: false,
    },
    {
      name: 'a path',
      who: user('eve'),
      asked: { verb: 'get', isResourceRequest: false, path: '/version/x' },
      allowed: true,
    },
    {
      name: 'a path, anonymous',
      who: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
      asked: { verb: 'get', isResourceRequest: false, path: '/version' },
      allowed: false,
    },
    {
      name: 'a policy for nobody',
      who: user('eve'),
      asked: { verb: 'get', resource: 'pods', namespace: 'a' },
      allowed: false,
    },
  ];
  it.each(rows)('$name: $allowed', ({ who, asked, allowed }) => {
    const attributes = {
      user: who,
      verb: '',
      isResourceRequest: true,
      apiGroup: '',
      apiVersion: '',
      namespace: '',
      resource: '',
      subresource: '',
      name: '',
      path: '',
      ...asked,
    };
    expect(abac.authorize(attributes).decision).toBe(allowed ? 'allow' : 'no-opinion');
  });
  it('refuses a file with a line that is no policy', () => {
    expect(() => new AbacAuthorizer('{"kind":"Policy"}')).toThrow('line 1 of the authorization policy file');
  });
});
