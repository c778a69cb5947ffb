/** Nothing secret that passes through the server is found again in its logs, its audit at Metadata level, its metrics or its errors. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';
import type { AuditEvent } from './event.ts';
import { loadAuditPolicy, PolicyAudit } from './index.ts';

const MARK = 'hunter2-do-not-tell';
const MARK_BASE64 = Buffer.from(MARK).toString('base64');

const events: AuditEvent[] = [];
let server: TestServer;
const answers: string[] = [];

beforeAll(async () => {
  server = await startTestServer();
  const policy = loadAuditPolicy(
    JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] }),
  );
  const audit = new PolicyAudit(server.ctx, policy, [
    { write: (event) => events.push(event) > 0, close: () => Promise.resolve() },
  ]);
  Object.assign(server.pipeline.chain, { audit });
});
afterAll(() => server.stop());

const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password: MARK_BASE64 } };

it('holds for Secrets, tokens and credentials, in requests that succeed or fail', async () => {
  const { call } = server;
  await call('POST', '/api/v1/namespaces/default/secrets', { body: SECRET });
  await call('PATCH', '/api/v1/namespaces/default/secrets/s', {
    body: { stringData: { more: MARK } },
    contentType: 'application/merge-patch+json',
  });
  const failing = [
    await call('POST', '/api/v1/namespaces/default/secrets', { body: SECRET }),
    await call('POST', '/api/v1/namespaces/default/secrets', { body: { ...SECRET, metadata: { name: 'UPPER' } } }),
    await call('POST', '/api/v1/namespaces/default/secrets', { body: SECRET, user: { name: 'nobody', groups: [] } }),
    await call('PUT', '/api/v1/namespaces/default/secrets/none', {
      body: { ...SECRET, metadata: { name: 'none', resourceVersion: '1' } },
    }),
  ];
  const { body: token } = await call('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const issued = (token['status'] as { token: string }).token;
  await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: issued } },
  });
  const broken = await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: `${issued.slice(0, -8)}AAAAAAAA` },
    },
  });
  answers.push(...failing.map(({ text }) => text), JSON.stringify((broken.body['status'] as { error: string }).error));

  const seen = {
    logs: server.ctx.logLines.join('\n'),
    audit: JSON.stringify(events),
    metrics: server.ctx.metrics.expose(),
    errors: answers.join('\n'),
  };
  const signature = issued.split('.')[2]!;
  for (const [where, text] of Object.entries(seen)) {
    for (const secret of [MARK, MARK_BASE64, issued, signature])
      expect(text.includes(secret), `${secret.slice(0, 8)}… in ${where}`).toBe(false);
  }
  expect(events.length).toBeGreaterThan(10);
  expect(events.every((event) => !('requestObject' in event) && !('responseObject' in event))).toBe(true);
});

it("has an audit id for every response, the client's own if it sends one", async () => {
  const { response } = await server.call('GET', '/version', { headers: { 'audit-id': 'mine' } });
  expect(response.headers['audit-id']).toBe('mine');
  const generated = (await server.call('GET', '/nosuch')).response.headers['audit-id'];
  expect(generated).toMatch(/^[0-9a-f-]{36}$/);
  expect(events.some(({ auditID }) => auditID === generated)).toBe(true);
});

it('has bodies only at the levels that include them', async () => {
  const full: AuditEvent[] = [];
  const policy = loadAuditPolicy(
    JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [
        { level: 'RequestResponse', verbs: ['create'], omitManagedFields: true },
        { level: 'Request', verbs: ['update'] },
      ],
    }),
  );
  const before = server.pipeline.chain.audit;
  Object.assign(server.pipeline.chain, {
    audit: new PolicyAudit(server.ctx, policy, [
      { write: (event) => full.push(event) > 0, close: () => Promise.resolve() },
    ]),
  });
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1' } };
  await server.call('POST', '/api/v1/namespaces/default/configmaps', { body: map });
  await server.call('PUT', '/api/v1/namespaces/default/configmaps/c', { body: { ...map, data: { a: '2' } } });
  await server.call('GET', '/api/v1/namespaces/default/configmaps/c');
  Object.assign(server.pipeline.chain, { audit: before });
  expect(full).toHaveLength(2);
  expect(full[0]).toMatchObject({
    stage: 'ResponseComplete',
    verb: 'create',
    objectRef: { resource: 'configmaps', namespace: 'default', name: 'c', apiVersion: 'v1' },
    requestObject: { data: { a: '1' } },
    responseStatus: { code: 201 },
  });
  expect((full[0]!['responseObject'] as { metadata: object }).metadata).not.toHaveProperty('managedFields');
  expect(full[1]).toMatchObject({
    requestObject: { data: { a: '2' } },
    annotations: { 'authorization.k8s.io/decision': 'allow' },
  });
  expect(full[1]).not.toHaveProperty('responseObject');
});

it('names what the body names, and has the body as it was decoded', async () => {
  const written: AuditEvent[] = [];
  const policy = loadAuditPolicy(
    JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      rules: [
        { level: 'Request', resources: [{ resources: ['configmaps', 'services'] }] },
        { level: 'Metadata', resources: [{ resources: ['namespaces'] }] },
      ],
    }),
  );
  const before = server.pipeline.chain.audit;
  Object.assign(server.pipeline.chain, {
    audit: new PolicyAudit(server.ctx, policy, [
      { write: (event) => written.push(event) > 0, close: () => Promise.resolve() },
    ]),
  });
  const maps = '/api/v1/namespaces/default/configmaps';
  await server.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'audited' } } });
  await server.call('POST', maps, { body: { metadata: { generateName: 'g-' } } });
  await server.call('POST', maps, { body: 'metadata: {name: yaml}', contentType: 'application/yaml' });
  await server.call('PUT', `${maps}/yaml`, { body: { metadata: { name: 'yaml', uid: 'u', resourceVersion: '1' } } });
  await server.call('DELETE', `${maps}/yaml`, { body: { propagationPolicy: 'Background' } });
  await server.call('POST', '/api/v1/namespaces/default/services', {
    body: { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } },
  });
  Object.assign(server.pipeline.chain, { audit: before });
  const of = (stage: string): AuditEvent[] => written.filter((event) => event['stage'] === stage);
  const map = { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' };
  expect(of('RequestReceived').map((event) => event['objectRef'])[0]).toEqual({
    resource: 'namespaces',
    apiVersion: 'v1',
  });
  expect(of('ResponseComplete').map((event) => event['objectRef'])).toEqual([
    { resource: 'namespaces', name: 'audited', apiVersion: 'v1' },
    map,
    { ...map, name: 'yaml' },
    { ...map, name: 'yaml', uid: 'u', resourceVersion: '1' },
    { ...map, name: 'yaml' },
    { ...map, resource: 'services', name: 's' },
  ]);
  expect(of('ResponseComplete').map((event) => event['requestObject'])).toEqual([
    undefined,
    { kind: 'ConfigMap', apiVersion: 'v1', metadata: { generateName: 'g-' } },
    { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'yaml' } },
    { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'yaml', uid: 'u', resourceVersion: '1' } },
    { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', propagationPolicy: 'Background' },
    expect.objectContaining({
      spec: expect.objectContaining({ type: 'ClusterIP', sessionAffinity: 'None' }) as object,
    }),
  ]);
});
