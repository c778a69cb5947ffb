import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpsServer, type TestCall, type TestHttpsServer } from '../../apiserver/webhook-client/testing/index.ts';
import { Cluster } from '../../index.ts';
import { until } from '../../kernel/testing/index.ts';
import { requestText, type RequestAnswer } from './request-answer.ts';
import { whyRequest } from './why-request.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io/v1';
let cluster: Cluster;
let hook: TestHttpsServer;

/** Changes ConfigMaps, and refuses those that ask for it. */
function answer({ body }: TestCall): { body: object } {
  const { uid, object } = body['request'] as { uid: string; object: { metadata: { labels?: { refuse?: string } } } };
  const patch = [{ op: 'add', path: '/data', value: { secret: 'injected' } }];
  const response =
    object.metadata.labels?.refuse === 'webhook'
      ? { uid, allowed: false, status: { message: 'not today' } }
      : { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  return { body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response } };
}

beforeAll(async () => {
  hook = await startHttpsServer(answer, { addresses: ['127.0.0.1'] });
  cluster = await Cluster.start({ nodes: 0 });
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  await cluster.apply({
    apiVersion: ADMISSION,
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'injectors' },
    webhooks: [
      {
        name: 'inject.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `${hook.url}/inject`, caBundle: hook.caBundle },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
        rules,
      },
    ],
  });
  await cluster.apply({
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'no-bad' },
    spec: {
      matchConstraints: { resourceRules: rules },
      validations: [
        { expression: "!has(object.metadata.labels) || !('bad' in object.metadata.labels)", message: 'it is bad' },
      ],
    },
  });
  await cluster.apply({
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'everywhere' },
    spec: { policyName: 'no-bad', validationActions: ['Deny'] },
  });
  await cluster.apply({
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: { name: 'writer', namespace: 'default' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'list'] }],
  });
  await cluster.apply({
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'writers', namespace: 'default' },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'writer' },
    subjects: [{ kind: 'User', name: 'jane', apiGroup: RBAC }],
  });
});
afterAll(async () => {
  await cluster.stop();
  await hook.close();
});

let requests = 0;

/** Sends a request, and gives its audit ID. */
async function send(
  method: 'GET' | 'POST',
  path: string,
  { user, body }: { user?: string; body?: object } = {},
): Promise<string> {
  const auditId = `request-${++requests}`;
  const client = user === undefined ? cluster.client : cluster.clientAs(user);
  const response = client.request({ method, path, headers: { 'audit-id': auditId }, ...(body ? { body } : {}) });
  await response.catch(() => undefined);
  return auditId;
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, labels = {}): object => ({ metadata: { name, labels } });
const ask = (auditId: string, user?: string): Promise<RequestAnswer> =>
  whyRequest({ client: user === undefined ? cluster.client : cluster.clientAs(user), auditId });

describe('why request', () => {
  it('has the id of every response', async () => {
    const { headers } = await cluster.client.request({ method: 'GET', path: '/api/v1/namespaces/default' });
    const { path, status } = await ask(headers['audit-id']!);
    expect({ path, status }).toEqual({ path: '/api/v1/namespaces/default', status: 200 });
  });

  it('tells the binding and rule, the plugins, the webhook with its patch, the policy, and what was stored', async () => {
    const auditId = await send('POST', MAPS, { user: 'jane', body: map('one') });
    const { authorization, admission, commits, stages, flow, status } = await ask(auditId);
    expect(status).toBe(201);
    expect(flow).toEqual({ flowSchema: 'global-default', priorityLevel: 'global-default', waitedMilliseconds: 0 });
    expect(authorization).toMatchObject({ decision: 'allow', policyHasChanged: false });
    expect(authorization!.authorizers.find(({ authorizer }) => authorizer === 'RBAC')).toMatchObject({
      decision: 'allow',
      allowedBy: {
        grant: 'RoleBinding "writers/default" of Role "writer" to User "jane"',
        rule: { verbs: ['create', 'list'] },
      },
    });
    expect(admission!.calls).toMatchObject([
      {
        plugin: 'MutatingAdmissionWebhook',
        name: 'inject.example.com',
        configuration: 'injectors',
        outcome: 'changed',
        patch: '[{"op":"add","path":"/data","value":{"secret":"injected"}}]',
      },
      { plugin: 'ValidatingAdmissionPolicy', name: 'no-bad', configuration: 'everywhere', outcome: 'allowed' },
    ]);
    expect(admission!.calls[0]!.milliseconds).toBeGreaterThan(0);
    expect(commits).toHaveLength(1);
    const created = await cluster.client.resource('v1/configmaps').get({ namespace: 'default', name: 'one' });
    expect(String(commits[0]!.revision)).toBe(created.metadata.resourceVersion);
    expect(stages.map(({ stage }) => stage)).toEqual(
      expect.arrayContaining(['authorization', 'decoding', 'mutating admission', 'validating admission', 'store']),
    );
  });

  it.each([
    ['webhook', { refuse: 'webhook' }, 'inject.example.com of injectors: denied in', 'not today'],
    ['policy', { bad: 'yes' }, 'no-bad of everywhere: denied in', 'it is bad'],
  ])('names the %s that refused it', async (_, labels, who, why) => {
    const answered = await ask(await send('POST', MAPS, { body: map('refused', labels) }));
    const text = requestText(answered);
    expect(answered.status).toBeGreaterThanOrEqual(400);
    expect(text).toContain(who);
    expect(text).toContain(why);
    expect(answered.admission!.plugins.filter(({ refused }) => refused)).toHaveLength(1);
    expect(answered.commits).toEqual([]);
  });

  it('names the fields that built-in plugins set', async () => {
    await until(
      'a ServiceAccount',
      async () => (await cluster.client.resource('v1/serviceaccounts').list({ namespace: 'default' })).items.length > 0,
    );
    const body = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
    const { admission } = await ask(await send('POST', '/api/v1/namespaces/default/pods', { body }));
    const changed = Object.fromEntries(
      admission!.plugins.flatMap(({ plugin, changed: fields }) => (fields ? [[plugin, fields]] : [])),
    );
    expect(changed).toMatchObject({
      ServiceAccount: ['spec.serviceAccountName', expect.stringMatching(/^the token volume kube-api-access-/)],
      Priority: ['spec.priority', 'spec.preemptionPolicy'],
      DefaultTolerationSeconds: ['spec.tolerations'],
    });
  });

  it('names the nearest rule of a refused request, and says when the policy has changed since', async () => {
    const auditId = await send('GET', `${MAPS}/one`, { user: 'jane' });
    const before = await ask(auditId);
    expect(before).toMatchObject({ status: 403, authorization: { decision: 'no-opinion', policyHasChanged: false } });
    expect(requestText(before)).toContain(
      'RoleBinding "writers/default" of Role "writer" to User "jane": its rule [create, list of configmaps] lacks the verb get',
    );
    await cluster.apply({ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'new' }, rules: [] });
    await until('the policy to have changed', async () => (await ask(auditId)).authorization!.policyHasChanged);
    expect(requestText(await ask(auditId))).toContain('RBAC objects have changed since');
  });

  it('tells requests that did not get to authorization', async () => {
    const auditId = 'early';
    const request = {
      method: 'GET',
      path: '/api/v1/pods',
      query: { timeout: 'x' },
      headers: { 'audit-id': auditId },
    } as const;
    await expect(cluster.client.request(request)).rejects.toMatchObject({ code: 400 });
    expect(requestText(await ask(auditId))).toContain('Authorization was not reached');
  });

  it('does not know requests that were never made', async () => {
    await expect(ask('nothing')).rejects.toThrow('no request with the audit ID nothing is kept');
  });
});

describe('why request shows no more than the asker may see', () => {
  it('own requests, without the names of bindings and the contents of objects that one may not get', async () => {
    const auditId = await send('POST', MAPS, { user: 'jane', body: map('two') });
    const own = await ask(auditId, 'jane');
    expect(own.authorization!.decision).toBe('allow');
    expect(JSON.stringify(own.admission)).not.toContain('injected');
    expect(own.admission!.calls[0]).toMatchObject({ outcome: 'changed' });
  });

  it('not those of others', async () => {
    const auditId = await send('GET', '/api/v1/namespaces/default/secrets/key');
    await expect(ask(auditId, 'jane')).rejects.toThrow('no request');
    const path = '/apis/glass.k8ts.dev/v1alpha1/requests';
    await expect(cluster.clientAs('jane').request({ method: 'GET', path })).rejects.toMatchObject({ code: 403 });
  });

  it('those that one sent as somebody else', async () => {
    const auditId = 'impersonated';
    await cluster.client
      .request({
        method: 'GET',
        path: `${MAPS}/one`,
        headers: { 'audit-id': auditId, 'impersonate-user': 'paul' },
      })
      .catch(() => undefined);
    expect(await ask(auditId)).toMatchObject({ user: 'paul', impersonator: 'kubernetes-admin', status: 403 });
    await expect(ask(auditId, 'paul')).rejects.toThrow('no request');
  });
});
