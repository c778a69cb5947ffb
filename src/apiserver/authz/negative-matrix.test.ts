/**
 * Nobody gets in who should not: every verb, on every scope, by every kind of identity that lacks the right, is denied
 * with the right code; and nothing in a denied request changes state.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitTarget } from '../../net/http/index.ts';
import type { UserInfo } from '../request/request.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

interface Identity {
  readonly name: string;
  readonly code: 401 | 403;
  /** Set when the identity is proved outside (a certificate); otherwise the headers are authenticated. */
  user?: UserInfo;
  headers: Record<string, string>;
}

interface Scope {
  readonly name: string;
  readonly collection: string;
  readonly object: string;
  readonly body: object;
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const metadata = { name: 'x' };

const SCOPES: readonly Scope[] = [
  {
    name: 'a namespaced resource',
    collection: '/api/v1/namespaces/default/secrets',
    object: '/api/v1/namespaces/default/secrets/x',
    body: { apiVersion: 'v1', kind: 'Secret', metadata },
  },
  {
    name: 'all namespaces',
    collection: '/api/v1/pods',
    object: '/api/v1/namespaces/kube-system/pods/x',
    body: { apiVersion: 'v1', kind: 'Pod', metadata },
  },
  {
    name: 'a cluster-scoped resource',
    collection: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    object: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-admin',
    body: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    },
  },
  {
    name: 'a subresource',
    collection: '/api/v1/namespaces/default/pods/victim/exec',
    object: '/api/v1/namespaces/default/pods/victim/ephemeralcontainers',
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'victim' } },
  },
  {
    name: 'a resource that does not exist',
    collection: '/apis/example.com/v1/widgets',
    object: '/apis/example.com/v1/widgets/x',
    body: {},
  },
  { name: 'a path', collection: '/metrics', object: '/debug/pprof/heap', body: {} },
];

const VERBS: readonly {
  name: string;
  method: string;
  on: 'collection' | 'object';
  query?: string;
  contentType?: string;
}[] = [
  { name: 'get', method: 'GET', on: 'object' },
  { name: 'list', method: 'GET', on: 'collection' },
  { name: 'watch', method: 'GET', on: 'collection', query: '?watch=true' },
  { name: 'create', method: 'POST', on: 'collection' },
  { name: 'update', method: 'PUT', on: 'object' },
  { name: 'patch', method: 'PATCH', on: 'object', contentType: 'application/merge-patch+json' },
  {
    name: 'apply',
    method: 'PATCH',
    on: 'object',
    query: '?fieldManager=m',
    contentType: 'application/apply-patch+yaml',
  },
  { name: 'delete', method: 'DELETE', on: 'object' },
  { name: 'deletecollection', method: 'DELETE', on: 'collection' },
];

const IDENTITIES: readonly Identity[] = [
  { name: 'none at all', code: 403, headers: {} },
  { name: 'a token that is nonsense', code: 401, headers: bearer('nonsense') },
  { name: 'a token with a broken signature', code: 401, headers: {} },
  { name: 'an unsigned token', code: 401, headers: {} },
  { name: 'an expired token', code: 401, headers: {} },
  { name: 'a token for another audience', code: 401, headers: {} },
  { name: 'a token of a deleted ServiceAccount', code: 401, headers: {} },
  { name: 'a token of a deleted pod', code: 401, headers: {} },
  { name: 'a ServiceAccount without rights', code: 403, headers: {} },
  {
    name: 'the node of another pod',
    code: 403,
    user: { name: 'system:node:other', groups: ['system:nodes', 'system:authenticated'] },
    headers: {},
  },
  {
    name: 'a node that does not say which',
    code: 403,
    user: { name: 'system:node:', groups: ['system:nodes', 'system:authenticated'] },
    headers: {},
  },
  { name: 'a user with few rights', code: 403, user: { name: 'low', groups: ['system:authenticated'] }, headers: {} },
  {
    name: 'impersonation without the right',
    code: 403,
    user: { name: 'low', groups: ['system:authenticated'] },
    headers: { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
  },
  { name: 'impersonation by nobody', code: 403, headers: { 'impersonate-user': 'admin' } },
];

/** Kubelets may create, update and patch some kinds: there NodeRestriction decides, by the object. */
const NODE_REACHES_ADMISSION = new Set(['all namespaces create', 'all namespaces delete']);

let server: TestServer;
const identity = (name: string): Identity => IDENTITIES.find((found) => found.name === name)!;

beforeAll(async () => {
  server = await startTestServer();
  const { call } = server;
  const account = (name: string) =>
    call('POST', '/api/v1/namespaces/default/serviceaccounts', {
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } },
    });
  const token = async (name: string, spec: object = {}): Promise<string> => {
    const { body } = await call('POST', `/api/v1/namespaces/default/serviceaccounts/${name}/token`, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
    });
    return (body['status'] as { token: string }).token;
  };
  await Promise.all([account('lives'), account('dies')]);
  const pod = (name: string) =>
    call('POST', '/api/v1/namespaces/default/pods', {
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name },
        spec: { serviceAccountName: 'lives', nodeName: 'here', containers: [{ name: 'c', image: 'i' }] },
      },
    });
  await pod('victim');
  const { body: doomed } = await pod('doomed');

  const good = await token('lives');
  const [header = '', payload = '', signature = ''] = good.split('.');
  identity('a token with a broken signature').headers = bearer(
    `${header}.${payload}.${signature.split('').reverse().join('')}`,
  );
  identity('an unsigned token').headers = bearer(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`);
  identity('a token for another audience').headers = bearer(await token('lives', { audiences: ['vault'] }));
  identity('a token of a deleted ServiceAccount').headers = bearer(await token('dies'));
  identity('a token of a deleted pod').headers = bearer(
    await token('lives', {
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'doomed', uid: doomed.metadata.uid },
    }),
  );
  identity('an expired token').headers = bearer(await token('lives', { expirationSeconds: 600 }));
  await call('DELETE', '/api/v1/namespaces/default/serviceaccounts/dies');
  await call('DELETE', '/api/v1/namespaces/default/pods/doomed?gracePeriodSeconds=0');
  await server.ctx.clock.advance(700_000);
  identity('a ServiceAccount without rights').headers = bearer(await token('lives'));
});
afterAll(() => server.stop());

describe.each(IDENTITIES)('$name', (who) => {
  describe.each(SCOPES)('on $name', (scope) => {
    it.each(VERBS)('may not $name', async (verb) => {
      if (who.name === 'the node of another pod' && NODE_REACHES_ADMISSION.has(`${scope.name} ${verb.name}`)) return;
      const { store } = server.pipeline.chain.backend;
      const before = await store.revision();
      const answer = await send(
        who,
        verb.method,
        scope[verb.on] + (verb.query ?? ''),
        JSON.stringify(scope.body),
        verb.contentType ?? 'application/json',
      );
      expect(answer.status).toBe(who.code);
      expect(JSON.parse(answer.body)).toMatchObject({
        kind: 'Status',
        status: 'Failure',
        code: who.code,
        reason: who.code === 401 ? 'Unauthorized' : 'Forbidden',
      });
      expect(await store.revision()).toBe(before);
    });
  });
});

it('denies with the same message whether or not the object exists', async () => {
  const low = identity('a user with few rights');
  const existing = await send(low, 'GET', '/api/v1/namespaces/default/pods/victim', '', 'application/json');
  const missing = await send(low, 'GET', '/api/v1/namespaces/default/pods/ghost1', '', 'application/json');
  expect(missing.body.replaceAll('ghost1', 'victim')).toBe(existing.body);
});

it('reveals nothing in a 401', async () => {
  const bodies = await Promise.all(
    IDENTITIES.filter(({ code }) => code === 401).map(
      async (who) => (await send(who, 'GET', '/api', '', 'application/json')).body,
    ),
  );
  expect(new Set(bodies).size).toBe(1);
  expect(JSON.parse(bodies[0]!)).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Unauthorized',
    reason: 'Unauthorized',
    code: 401,
  });
});

it('allows the same token where it has permission, so that the refusals above mean something', async () => {
  const answer = await send(identity('a ServiceAccount without rights'), 'GET', '/api', '', 'application/json');
  expect(answer.status).toBe(200);
});

async function send(
  who: Identity,
  method: string,
  target: string,
  body: string,
  contentType: string,
): Promise<{ status: number; body: string }> {
  const response = await server.pipeline.handle({
    method,
    ...splitTarget(target),
    headers: { accept: 'application/json', 'content-type': contentType, ...who.headers },
    readBody: () => Promise.resolve(Buffer.from(body)),
    ...(who.user ? { user: who.user } : {}),
    remoteAddress: '192.0.2.9',
    signal: server.ctx.signal,
  });
  return { status: response.status, body: response.body?.toString() ?? '' };
}
