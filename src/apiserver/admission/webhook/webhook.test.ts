import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dialLoopback, startTestServer, type TestServer } from '../../testing/index.ts';
import {
  startHttpsServer,
  type TestCall,
  type TestHttpsServer,
  type TestReply,
} from '../../webhook-client/testing/index.ts';

interface ReviewRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly operation: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly dryRun: boolean;
  readonly object: { readonly metadata: Record<string, unknown>; readonly data?: Record<string, string> } | null;
  readonly oldObject: { readonly metadata: Record<string, unknown> } | null;
  readonly options: { readonly kind: string } | null;
  readonly userInfo: { readonly username: string };
}

const requestOf = (call: TestCall): ReviewRequest => call.body['request'] as ReviewRequest;

const review = (call: TestCall, response: Record<string, unknown>): TestReply => ({
  body: {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: requestOf(call).uid, allowed: true, ...response },
  },
});

const patch = (...operations: unknown[]): Record<string, unknown> => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

let api: TestServer;
let hook: TestHttpsServer;
let answer: (call: TestCall) => TestReply | undefined = (call) => review(call, {});

beforeAll(async () => {
  api = await startTestServer({ dial: dialLoopback });
  hook = await startHttpsServer((call) => answer(call), { addresses: ['127.0.0.1'], dnsNames: ['hook.default.svc'] });
});

afterAll(async () => {
  await hook.close();
  await api.stop();
});

const HOOKS = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';

beforeEach(async () => {
  for (const kind of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
    await api.call('DELETE', `${HOOKS}/${kind}`);
  }
  await api.call('DELETE', MAPS);
  hook.calls.length = 0;
  answer = (call) => review(call, {});
});

const rule = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['*'],
  resources: ['configmaps'],
  ...over,
});

function webhook(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'a.example.com',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: `${hook.url}/check`, caBundle: hook.caBundle },
    rules: [rule()],
    ...over,
  };
}

async function configure(
  kind: 'Mutating' | 'Validating',
  name: string,
  ...webhooks: Record<string, unknown>[]
): Promise<void> {
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks,
  };
  const made = await api.call('POST', `${HOOKS}/${kind.toLowerCase()}webhookconfigurations`, { body });
  expect(made.status, made.text).toBe(201);
}

const create = (name: string, more: Record<string, unknown> = {}, query = ''): ReturnType<TestServer['call']> =>
  api.call('POST', MAPS + query, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more } });

describe('validating webhooks', () => {
  it('see the request in full', async () => {
    await configure('Validating', 'v', webhook());
    expect((await create('seen', { data: { a: 'b' } }, '?dryRun=All')).status).toBe(201);
    const [call] = hook.calls;
    expect(call?.path).toBe('/check?timeout=10s');
    expect(call?.body).toMatchObject({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' });
    expect(requestOf(call!)).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      name: 'seen',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'admin' },
      object: { kind: 'ConfigMap', metadata: { name: 'seen', namespace: 'default' }, data: { a: 'b' } },
      oldObject: null,
      dryRun: true,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
    });
  });

  it.each([
    ['POST', '', 'application/json', {}, 'CreateOptions'],
    [
      'POST',
      '?fieldValidation=Strict&fieldManager=me',
      'application/json',
      { fieldValidation: 'Strict', fieldManager: 'me' },
      'CreateOptions',
    ],
    ['PUT', '?dryRun=All', 'application/json', { dryRun: ['All'] }, 'UpdateOptions'],
    [
      'PATCH',
      '?fieldValidation=Ignore',
      'application/merge-patch+json',
      { fieldValidation: 'Ignore' },
      'UpdateOptions',
    ],
    ['PATCH', '?fieldManager=me&force=true', 'application/apply-patch+yaml', { fieldManager: 'me' }, 'UpdateOptions'],
    ['PATCH new', '?fieldManager=me', 'application/apply-patch+yaml', { fieldManager: 'me' }, 'CreateOptions'],
  ])('see the options that %s%s of %s gave, and no defaults', async (verb, query, contentType, given, kind) => {
    const [method = ''] = verb.split(' ');
    const isNew = method === 'POST' || verb.endsWith('new');
    const name = `options-${kind.toLowerCase()}-${query.length}`;
    if (!isNew) await create(name);
    await configure('Validating', 'v', webhook());
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { c: 'd' } };
    const answer = await api.call(method, `${MAPS}${method === 'POST' ? '' : `/${name}`}${query}`, {
      body,
      contentType,
    });
    expect(answer.status, answer.text).toBe(isNew ? 201 : 200);
    expect(requestOf(hook.calls[0]!)['options']).toEqual({ kind, apiVersion: 'meta.k8s.io/v1', ...given });
  });

  it('see old objects of updates and deletions', async () => {
    await create('old');
    await configure('Validating', 'v', webhook());
    await api.call('PATCH', `${MAPS}/old`, { body: { data: { a: 'b' } }, contentType: 'application/merge-patch+json' });
    await api.call('DELETE', `${MAPS}/old`);
    const [update, deletion] = hook.calls.map(requestOf);
    expect(update).toMatchObject({
      operation: 'UPDATE',
      object: { data: { a: 'b' } },
      oldObject: { metadata: { name: 'old' } },
      options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
    expect(deletion).toMatchObject({
      operation: 'DELETE',
      object: null,
      oldObject: { data: { a: 'b' } },
      options: { kind: 'DeleteOptions' },
    });
  });

  const denials: [name: string, status: Record<string, unknown> | undefined, code: number, message: string][] = [
    ['without a word', undefined, 400, 'admission webhook "a.example.com" denied the request without explanation'],
    ['with a message', { message: 'no' }, 400, 'admission webhook "a.example.com" denied the request: no'],
    ['with a reason', { reason: 'Because' }, 400, 'admission webhook "a.example.com" denied the request: Because'],
    [
      'with a code',
      { message: 'no', code: 403, reason: 'Forbidden' },
      403,
      'admission webhook "a.example.com" denied the request: no',
    ],
    [
      'with a code that is none',
      { message: 'no', code: 200, status: 'Success' },
      400,
      'admission webhook "a.example.com" denied the request: no',
    ],
  ];
  it.each(denials)('deny %s', async (_, status, code, message) => {
    answer = (call) => review(call, { allowed: false, ...(status ? { status } : {}) });
    await configure('Validating', 'v', webhook());
    const refused = await create('denied');
    expect([refused.status, refused.body['message'], refused.body['status']]).toEqual([code, message, 'Failure']);
    expect((await api.call('GET', `${MAPS}/denied`)).status).toBe(404);
  });

  it('give warnings', async () => {
    answer = (call) => review(call, { warnings: ['careful'] });
    await configure('Validating', 'v', webhook());
    expect((await create('warned')).warnings).toEqual(['299 - "careful"']);
  });

  const wrongAnswers: [name: string, reply: (call: TestCall) => TestReply, reason: string | RegExp][] = [
    [
      'no response',
      () => ({ body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' } }),
      'received invalid webhook response: webhook response was absent',
    ],
    [
      'another uid',
      (call) => review(call, { uid: 'x' }),
      /received invalid webhook response: expected response\.uid="[0-9a-f-]+", got "x"/,
    ],
    [
      'an older version',
      (call) => ({ body: { ...(review(call, {}).body as object), apiVersion: 'admission.k8s.io/v1beta1' } }),
      'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1beta1, Kind=AdmissionReview',
    ],
    [
      'a patch',
      (call) => review(call, patch()),
      'received invalid webhook response: validating webhook may not return response.patch',
    ],
    [
      '404',
      () => ({ status: 404, body: 'nothing here' }),
      'failed to call webhook: the server could not find the requested resource',
    ],
    [
      '500 in plain text',
      () => ({ status: 500, body: 'oh no\n', contentType: 'text/plain; charset=utf-8' }),
      'failed to call webhook: an error on the server ("oh no") has prevented the request from succeeding',
    ],
    [
      '500 in no text',
      () => ({ status: 500, body: 'oh no' }),
      'failed to call webhook: an error on the server ("unknown") has prevented the request from succeeding',
    ],
    [
      'another kind',
      () => ({ body: { apiVersion: 'v1', kind: 'Pod', response: { uid: 'x', allowed: true } } }),
      'failed to call webhook: no kind "Pod" is registered for version "v1" in scheme "pkg/util/webhook/client.go:71"',
    ],
    [
      'an unknown version',
      (call) => ({ body: { ...(review(call, {}).body as object), apiVersion: 'admission.k8s.io/v9' } }),
      'failed to call webhook: no kind "AdmissionReview" is registered for version "admission.k8s.io/v9" in scheme "pkg/util/webhook/client.go:71"',
    ],
    ...(
      [
        ['a word', 'hello', 'string'],
        ['a number', '5', 'number'],
        ['a list', '[1]', 'array'],
        ['a boolean', 'true', 'bool'],
      ] as const
    ).map(([name, body, kind]): [string, () => TestReply, string] => [
      name,
      () => ({ body }),
      `failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal ${kind} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ]),
    [
      'a kind that is no text',
      () => ({ body: { kind: 5 } }),
      "failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [
      'half an object',
      () => ({ body: '{"kind": ' }),
      "failed to call webhook: couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
    ['null', () => ({ body: 'null' }), 'received invalid webhook response: webhook response was absent'],
    [
      'nothing',
      () => ({ body: '' }),
      'failed to call webhook: 0-length response with status code: 200 and content type: application/json',
    ],
    [
      'a failure Status',
      () => ({
        status: 403,
        body: { apiVersion: 'v1', kind: 'Status', status: 'Failure', message: 'go away', code: 403 },
      }),
      'failed to call webhook: go away',
    ],
  ];
  it.each(wrongAnswers)('that answer with %s fail the request, or are ignored', async (_, reply, reason) => {
    answer = reply;
    await configure('Validating', 'v', webhook());
    const refused = await create('x');
    expect(refused.status).toBe(500);
    const prefix = 'Internal error occurred: failed calling webhook "a.example.com": ';
    expect(refused.body['message']).toMatch(prefix);
    expect(String(refused.body['message']).slice(prefix.length)).toEqual(
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    );
    await api.call('DELETE', `${HOOKS}/validatingwebhookconfigurations`);
    await configure('Validating', 'v', webhook({ failurePolicy: 'Ignore' }));
    expect((await create('x')).status).toBe(201);
  });

  const unreachable: [name: string, clientConfig: () => Record<string, unknown>, reason: string][] = [
    [
      'nobody listens',
      () => ({ url: 'https://127.0.0.1:1/hook' }),
      'failed to call webhook: Post "https://127.0.0.1:1/hook?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    [
      'the authority is unknown',
      () => ({ url: `${hook.url}/check` }),
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ],
    [
      'the certificate is for others',
      () => ({ url: `https://localhost:${hook.port}/`, caBundle: hook.caBundle }),
      'tls: failed to verify certificate: x509: certificate is valid for hook.default.svc, not localhost',
    ],
    [
      'the authority is no certificate',
      () => ({ url: hook.url, caBundle: Buffer.from('nonsense').toString('base64') }),
      'could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
    ],
    [
      'the service is missing',
      () => ({ service: { namespace: 'default', name: 'ghost', path: '/p' } }),
      'failed to call webhook: Post "https://ghost.default.svc:443/p?timeout=10s": service "ghost" not found',
    ],
  ];
  it.each(unreachable)('fail the request when %s', async (_, clientConfig, reason) => {
    await configure('Validating', 'v', webhook({ clientConfig: clientConfig() }));
    const refused = await create('x');
    expect(refused.status).toBe(500);
    expect(refused.body['message']).toContain(reason);
  });

  it('behind a Service are reached through its endpoints', async () => {
    await api.call('POST', '/api/v1/namespaces/default/services', {
      body: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'hook' },
        spec: { ports: [{ name: 'https', port: 443 }] },
      },
    });
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'hook-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'hook' } },
      addressType: 'IPv4',
      ports: [{ name: 'https', port: hook.port }],
      endpoints: [{ addresses: ['192.0.2.10'] }],
    };
    const made = await api.call('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', { body: slice });
    expect(made.status, made.text).toBe(201);
    await configure(
      'Validating',
      'v',
      webhook({
        clientConfig: { service: { namespace: 'default', name: 'hook', path: '/svc' }, caBundle: hook.caBundle },
      }),
    );
    const created = await create('x');
    expect(created.status, created.text).toBe(201);
    expect(hook.calls[0]?.path).toBe('/svc?timeout=10s');
    expect(hook.calls[0]?.headers['host']).toBe('hook.default.svc:443');
  });

  it('that do not answer time out, and do not delay other requests', async () => {
    answer = () => undefined;
    await configure('Validating', 'v', webhook({ timeoutSeconds: 2 }));
    const waiting = create('slow');
    const secret = await api.call('POST', '/api/v1/namespaces/default/secrets', {
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 's-' } },
    });
    expect(secret.status).toBe(201);
    while (hook.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await api.ctx.clock.advance(2000);
    const refused = await waiting;
    expect(refused.status).toBe(500);
    expect(refused.body['message']).toBe(
      `Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "${hook.url}/check?timeout=2s": context deadline exceeded`,
    );
  });

  it.each(['Mutating', 'Validating'] as const)(
    '%s ones may outlive the namespace, which is asked for again',
    async (kind) => {
      const namespace = `outlived-${kind.toLowerCase()}`;
      await api.call('POST', '/api/v1/namespaces', {
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      });
      answer = () => undefined;
      await configure(kind, 'v', webhook({ timeoutSeconds: 2, failurePolicy: 'Ignore' }));
      const waiting = api.call('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } },
      });
      while (hook.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
      expect((await api.call('DELETE', `/api/v1/namespaces/${namespace}`)).status).toBe(200);
      await api.ctx.clock.advance(2000);
      const refused = await waiting;
      expect([refused.status, refused.body['reason']]).toEqual([403, 'Forbidden']);
      expect(refused.body['message']).toContain(`because it is being terminated`);
    },
  );

  it('are called over one connection', async () => {
    await configure('Validating', 'v', webhook());
    const before = hook.connections();
    for (let i = 0; i < 5; i++) await create(`kept-${i}`);
    expect(hook.connections() - before).toBeLessThanOrEqual(1);
  });
});

describe('which requests concern a webhook', () => {
  const cases: [name: string, over: Record<string, unknown>, called: boolean][] = [
    ['its resource', {}, true],
    ['every resource', { rules: [rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] })] }, true],
    ['another resource', { rules: [rule({ resources: ['pods'] })] }, false],
    ['a subresource only', { rules: [rule({ resources: ['*/status'] })] }, false],
    ['another operation', { rules: [rule({ operations: ['UPDATE'] })] }, false],
    ['another scope', { rules: [rule({ scope: 'Cluster' })] }, false],
    ['its scope', { rules: [rule({ scope: 'Namespaced' })] }, true],
    ['labels of the object', { objectSelector: { matchLabels: { hook: 'me' } } }, true],
    ['other labels', { objectSelector: { matchLabels: { hook: 'not-me' } } }, false],
    [
      'labels of the namespace',
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
      true,
    ],
    [
      'labels of another namespace',
      {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['default'] }],
        },
      },
      false,
    ],
  ];
  it.each(cases)('%s', async (_, over, called) => {
    await configure('Validating', 'v', webhook(over));
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', labels: { hook: 'me' } } };
    expect((await api.call('POST', MAPS, { body })).status).toBe(201);
    expect(hook.calls.length > 0).toBe(called);
  });

  it.each([
    ['Equivalent', 1],
    ['Exact', 0],
  ])('matchPolicy %s of a rule for another version', async (matchPolicy, calls) => {
    await configure(
      'Validating',
      'v',
      webhook({
        matchPolicy,
        rules: [rule({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] })],
      }),
    );
    const body = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: {
        maxReplicas: 2,
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 55 } } },
        ],
      },
    };
    const created = await api.call(
      'POST',
      '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers?dryRun=All',
      { body },
    );
    expect(created.status, created.text).toBe(201);
    expect(hook.calls).toHaveLength(calls);
    if (calls > 0) {
      expect(requestOf(hook.calls[0]!)).toMatchObject({
        kind: { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
        requestKind: { group: 'autoscaling', version: 'v2' },
        object: { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 55 } },
      });
    }
  });

  it('never the configurations themselves', async () => {
    await configure(
      'Validating',
      'v',
      webhook({ rules: [rule({ apiGroups: ['*'], resources: ['*'] })], clientConfig: { url: 'https://127.0.0.1:1/' } }),
    );
    expect((await api.call('DELETE', `${HOOKS}/validatingwebhookconfigurations/v`)).status).toBe(200);
  });

  it('dry runs only without side effects', async () => {
    const { registry } = api.pipeline.chain.backend;
    const served = registry.require('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations');
    // Validation takes no such webhook any more; old objects may still have one.
    const old = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'old' },
      webhooks: [webhook({ sideEffects: 'Some' })],
    };
    await registry.objects.create(served, { namespace: '', name: 'old' }, old, false);
    const refused = await create('x', {}, '?dryRun=All');
    expect([refused.status, refused.body['message']]).toEqual([
      400,
      'admission webhook "a.example.com" does not support dry run',
    ]);
    expect((await create('x')).status).toBe(201);
  });

  it('connections', async () => {
    await api.call('POST', '/api/v1/namespaces/default/pods', {
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    });
    answer = (call) => review(call, { allowed: false });
    await configure(
      'Validating',
      'v',
      webhook({ rules: [rule({ operations: ['CONNECT'], resources: ['pods/exec'] })] }),
    );
    const refused = await api.call('POST', '/api/v1/namespaces/default/pods/p/exec?command=ls&stdout=true');
    expect(refused.status).toBe(400);
    expect(requestOf(hook.calls[0]!)).toMatchObject({
      operation: 'CONNECT',
      subResource: 'exec',
      kind: { kind: 'PodExecOptions' },
      name: 'p',
    });
    expect(requestOf(hook.calls[0]!).object).not.toHaveProperty('metadata');
  });
});

describe('mutating webhooks', () => {
  it('change objects, which are defaulted again', async () => {
    answer = (call) =>
      review(call, patch({ op: 'add', path: '/spec/containers/-', value: { name: 'sidecar', image: 'sidecar:1' } }));
    await configure('Mutating', 'm', webhook({ rules: [rule({ resources: ['pods'] })] }));
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'injected' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const created = await api.call('POST', '/api/v1/namespaces/default/pods', { body });
    expect(created.status, created.text).toBe(201);
    expect(created.body['spec']).toMatchObject({
      containers: [
        { name: 'c' },
        { name: 'sidecar', imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/dev/termination-log' },
      ],
    });
  });

  it('run in the order of their configurations, each on the result of the one before', async () => {
    answer = (call) =>
      review(
        call,
        patch({
          op: 'add',
          path: '/data',
          value: {
            ...requestOf(call).object?.data,
            [call.path.slice(1, 2)]: String(Object.keys(requestOf(call).object?.data ?? {}).length),
          },
        }),
      );
    const at = (path: string): Record<string, unknown> => ({
      clientConfig: { url: `${hook.url}/${path}`, caBundle: hook.caBundle },
    });
    await configure('Mutating', 'm2', webhook({ name: 'c.example.com', ...at('c') }));
    await configure(
      'Mutating',
      'm1',
      webhook({ name: 'a.example.com', ...at('a') }),
      webhook({ name: 'b.example.com', ...at('b') }),
    );
    expect((await create('ordered')).body['data']).toEqual({ a: '0', b: '1', c: '2' });
  });

  it('are called again when a later one changed the object and reinvocationPolicy allows it', async () => {
    answer = (call) => {
      const data = requestOf(call).object?.data ?? {};
      if (call.path.startsWith('/first'))
        return review(
          call,
          'second' in data && !('again' in data) ? patch({ op: 'add', path: '/data/again', value: 'yes' }) : {},
        );
      return review(call, 'second' in data ? {} : patch({ op: 'add', path: '/data', value: { second: 'yes' } }));
    };
    const at = (path: string): Record<string, unknown> => ({
      clientConfig: { url: `${hook.url}/${path}`, caBundle: hook.caBundle },
    });
    await configure(
      'Mutating',
      'm',
      webhook({ name: 'a.example.com', ...at('first'), reinvocationPolicy: 'IfNeeded' }),
      webhook({ name: 'b.example.com', ...at('second') }),
    );
    expect((await create('again')).body['data']).toEqual({ second: 'yes', again: 'yes' });
    expect(hook.calls.map((call) => call.path.split('?')[0])).toEqual(['/first', '/second', '/first']);
  });

  const failures: [name: string, response: Record<string, unknown>, message: string][] = [
    [
      'a patch that does not fit',
      patch({ op: 'remove', path: '/data/none' }),
      'Internal error occurred: remove operation does not apply: doc is missing path: "/data/none": missing value',
    ],
    [
      'a patch of no known type',
      { ...patch({ op: 'add', path: '/data', value: {} }), patchType: 'Merge' },
      'Internal error occurred: failed calling webhook "a.example.com": unsupported patch type "Merge"',
    ],
    [
      'a patch without its type',
      { patch: patch({ op: 'add', path: '/data', value: {} })['patch'] },
      'Internal error occurred: failed calling webhook "a.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
    ],
  ];
  it.each(failures)('fail the request with %s', async (_, response, message) => {
    answer = (call) => review(call, response);
    await configure('Mutating', 'm', webhook());
    const refused = await create('x');
    expect([refused.status, refused.body['message']]).toEqual([500, message]);
  });

  it('cannot move objects into another namespace', async () => {
    await create('stays');
    answer = (call) => review(call, patch({ op: 'add', path: '/metadata/namespace', value: 'kube-system' }));
    await configure('Mutating', 'm', webhook({ rules: [rule({ operations: ['CREATE', 'UPDATE'] })] }));
    const created = await create('moved');
    const updated = await api.call('PATCH', `${MAPS}/stays`, {
      body: { data: { a: 'b' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    const message = 'the namespace of the provided object does not match the namespace sent on the request';
    for (const { status, body } of [created, updated]) expect([status, body['message']]).toEqual([400, message]);
    expect((await api.call('GET', '/api/v1/namespaces/kube-system/configmaps/moved')).status).toBe(404);
  });

  it('cannot change deleted objects', async () => {
    await create('going');
    answer = (call) => review(call, patch({ op: 'add', path: '/data', value: {} }));
    await configure('Mutating', 'm', webhook({ rules: [rule({ operations: ['DELETE'] })] }));
    const refused = await api.call('DELETE', `${MAPS}/going`);
    expect([refused.status, refused.body['message']]).toEqual([
      500,
      'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
    ]);
  });
});
