import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const configMap = (name: string, data: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
const PATH = '/api/v1/namespaces/default/configmaps';

describe('the life of an object', () => {
  it('creates, reads, replaces, patches and deletes it', async () => {
    const created = await server.call('POST', PATH, { body: configMap('life', { a: '1' }) });
    expect(created.status).toBe(201);
    expect(created.body.metadata).toMatchObject({ name: 'life', namespace: 'default' });
    expect(created.body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);

    const read = await server.call('GET', `${PATH}/life`);
    expect(read.body).toEqual(created.body);

    const replaced = await server.call('PUT', `${PATH}/life`, { body: { ...created.body, data: { a: '2' } } });
    expect(replaced.status).toBe(200);
    expect(Number(replaced.body.metadata.resourceVersion)).toBeGreaterThan(
      Number(created.body.metadata.resourceVersion),
    );

    const patched = await server.call('PATCH', `${PATH}/life`, {
      body: { data: { b: '3' } },
      contentType: 'application/merge-patch+json',
    });
    expect(patched.body['data']).toEqual({ a: '2', b: '3' });

    const stale = await server.call('PUT', `${PATH}/life`, { body: created.body });
    expect(stale.status).toBe(409);
    expect(stale.body['message']).toContain('the object has been modified');

    const deleted = await server.call('DELETE', `${PATH}/life`);
    expect(deleted.body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'life', kind: 'configmaps' },
    });
    expect((await server.call('GET', `${PATH}/life`)).body['message']).toBe('configmaps "life" not found');
  });

  it('writes nothing when nothing changes', async () => {
    const created = await server.call('POST', PATH, { body: configMap('same', { a: '1' }) });
    const again = await server.call('PUT', `${PATH}/same`, { body: created.body });
    expect(again.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
  });

  it('keeps an object with finalizers until the last one is removed', async () => {
    await server.call('POST', PATH, {
      body: { ...configMap('held'), metadata: { name: 'held', finalizers: ['example.com/hold'] } },
    });
    const deleted = await server.call('DELETE', `${PATH}/held`);
    expect(deleted.body.metadata.deletionTimestamp).toBeDefined();
    expect((await server.call('GET', `${PATH}/held`)).status).toBe(200);
    await server.call('PATCH', `${PATH}/held`, {
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    });
    expect((await server.call('GET', `${PATH}/held`)).status).toBe(404);
  });

  it('changes nothing in a dry run', async () => {
    const answer = await server.call('POST', `${PATH}?dryRun=All`, { body: configMap('dry') });
    expect(answer.status).toBe(201);
    expect(answer.body.metadata.resourceVersion).toBeUndefined();
    expect((await server.call('GET', `${PATH}/dry`)).status).toBe(404);
  });

  it.each([
    ['5', { dry: 201, shown: '5', real: 500 }],
    ['abc', { dry: 201, shown: 'abc', real: 201 }],
    ['0', { dry: 201, shown: '0', real: 201 }],
    ['', { dry: 201, shown: undefined, real: 201 }],
  ])('refuses the resourceVersion "%s" of a new object in the store only', async (resourceVersion, wanted) => {
    const body = { ...configMap('x'), metadata: { name: `version-${resourceVersion || 'none'}`, resourceVersion } };
    const dry = await server.call('POST', `${PATH}?dryRun=All`, { body });
    expect([dry.status, dry.body.metadata.resourceVersion]).toEqual([wanted.dry, wanted.shown]);
    const real = await server.call('POST', PATH, { body });
    expect(real.status).toBe(wanted.real);
    if (wanted.real === 500)
      expect(real.body['message']).toBe('resourceVersion should not be set on objects to be created');
    else expect(Number(real.body.metadata.resourceVersion)).toBeGreaterThan(1);
    const invalid = { ...body, metadata: { ...body.metadata, name: 'Not valid' } };
    expect((await server.call('POST', PATH, { body: invalid })).status).toBe(422);
    const lease = { metadata: { name: 'new', resourceVersion: '5' } };
    const put = await server.call('PUT', '/apis/coordination.k8s.io/v1/namespaces/default/leases/new?dryRun=All', {
      body: lease,
    });
    expect([put.status, put.body.metadata.resourceVersion]).toEqual([201, '5']);
  });

  it('allows exactly one of many concurrent writers to create a name', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => server.call('POST', PATH, { body: configMap('race') })),
    );
    expect(answers.filter((a) => a.status === 201)).toHaveLength(1);
    expect(answers.filter((a) => a.status === 409)).toHaveLength(19);
  });

  it('loses no patch of many concurrent ones', async () => {
    await server.call('POST', PATH, { body: configMap('merge') });
    const patches = Array.from({ length: 20 }, (_, i) =>
      server.call('PATCH', `${PATH}/merge`, {
        body: { data: { [`k${i}`]: 'v' } },
        contentType: 'application/merge-patch+json',
      }),
    );
    await Promise.all(patches);
    expect(Object.keys((await server.call('GET', `${PATH}/merge`)).body['data'] as object)).toHaveLength(20);
  });
});

describe('refusals', () => {
  const cases: {
    name: string;
    method: string;
    target: string;
    status: number;
    message: string;
    options?: Parameters<TestServer['call']>[2];
  }[] = [
    {
      name: 'an unknown group',
      method: 'GET',
      target: '/apis/nosuch.example.com/v1/things',
      status: 404,
      message: '404 page not found\n',
    },
    {
      name: 'an unknown resource',
      method: 'GET',
      target: '/api/v1/nosuch',
      status: 404,
      message: 'the server could not find the requested resource',
    },
    {
      name: 'a method that a path does not take',
      method: 'PUT',
      target: PATH,
      status: 405,
      message: 'the server does not allow this method on the requested resource',
    },
    {
      name: 'a representation nobody has',
      method: 'GET',
      target: PATH,
      status: 406,
      message: '406: Not Acceptable',
      options: { accept: 'text/html' },
    },
    {
      name: 'a body in an unknown format',
      method: 'POST',
      target: PATH,
      status: 415,
      message: 'the body of the request was in an unknown format',
      options: { body: 'x', contentType: 'text/plain' },
    },
    {
      name: 'a namespace that does not exist',
      method: 'POST',
      target: '/api/v1/namespaces/nosuch/configmaps',
      status: 404,
      message: 'namespaces "nosuch" not found',
      options: { body: configMap('x') },
    },
    {
      name: 'a name that is not that of the path',
      method: 'PUT',
      target: `${PATH}/a`,
      status: 400,
      message: 'the name of the object (b) does not match the name on the URL (a)',
      options: { body: configMap('b') },
    },
    {
      name: 'a user without rights',
      method: 'GET',
      target: PATH,
      status: 403,
      message: 'User "bob" cannot list resource "configmaps" in API group "" in the namespace "default"',
      options: { user: { name: 'bob', groups: ['system:authenticated'] } },
    },
    {
      name: 'an unknown dry run',
      method: 'POST',
      target: `${PATH}?dryRun=Some`,
      status: 422,
      message: 'dryRun: Unsupported value',
      options: { body: configMap('x') },
    },
  ];
  it.each(cases)('refuses $name', async ({ method, target, status, message, options }) => {
    const answer = await server.call(method, target, options);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(
      message.includes('"') && answer.text.startsWith('{')
        ? JSON.stringify(message).slice(1, -1)
        : message.replaceAll('\n', answer.text.startsWith('{') ? '\\n' : '\n'),
    );
  });

  const PROTOBUF = 'k8s\0';
  it.each([
    [
      'hello',
      'the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (68656c6c6f)',
    ],
    [
      '{"apiVersion":"v1","kind":"ConfigMap"}',
      'the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({"apiVersion":"v1","kind":"Con ...)',
    ],
    ['', 'the object provided is unrecognized (must be of type ConfigMap): empty data (<empty>)'],
    [PROTOBUF, 'the object provided is unrecognized (must be of type ConfigMap): empty body (6b387300)'],
    [
      `${PROTOBUF}\xff\xff`,
      'the object provided is unrecognized (must be of type ConfigMap): unexpected EOF (6b387300ffff)',
    ],
    [
      `${PROTOBUF}\x0a\x09\x0a\x02v1\x12\x03Foo`,
      'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      `${PROTOBUF}\x0a\x09\x0a\x02v1\x12\x03Pod`,
      'Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion',
    ],
    [
      `${PROTOBUF}\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x02\xff\xff`,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
    ],
  ])('reports the error in the protobuf %j', async (bytes, message) => {
    const body = Buffer.from(bytes, 'latin1');
    const contentType = 'application/vnd.kubernetes.protobuf';
    const answer = await server.call('POST', PATH, { body, contentType });
    expect([answer.status, answer.body['message']]).toEqual([400, message]);
  });

  it('warns of unknown fields by default and refuses them strictly', async () => {
    const body = { ...configMap('unknown'), nosuch: 1 };
    const warned = await server.call('POST', `${PATH}?dryRun=All`, { body });
    expect(warned.status).toBe(201);
    expect(warned.warnings).toEqual(['299 - "unknown field \\"nosuch\\""']);
    const refused = await server.call('POST', `${PATH}?dryRun=All&fieldValidation=Strict`, { body });
    expect(refused.status).toBe(400);
    expect(refused.body['message']).toContain('strict decoding error: unknown field "nosuch"');
  });
});

describe('the headers of an answer', () => {
  const bob = { name: 'bob', groups: ['system:authenticated'] };
  const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const cases: [string, string, Parameters<TestServer['call']>[2], number, string, string | undefined][] = [
    ['GET', '/api/v1/namespaces/default', {}, 200, 'no-cache, private', undefined],
    ['GET', '/api/v1/namespaces/nosuch', {}, 404, 'no-cache, private', undefined],
    ['GET', '/api/v1/nosuch', {}, 404, 'no-cache, private', undefined],
    ['GET', '/nosuch', {}, 404, 'no-cache, private', 'nosniff'],
    ['GET', '/apis/nosuch.example.com/v1/things', {}, 404, 'no-cache, private', 'nosniff'],
    ['GET', '/version', {}, 200, 'no-cache, private', undefined],
    ['GET', '/metrics', {}, 200, 'no-cache, private', undefined],
    ['GET', '/healthz', {}, 200, 'no-cache, private', 'nosniff'],
    ['GET', '/livez?verbose', {}, 200, 'no-cache, private', 'nosniff'],
    ['GET', '/livez/etcd', {}, 200, 'no-cache, private', undefined],
    ['GET', '/openapi/v3', {}, 200, 'no-cache, private', undefined],
    ['GET', '/apis', {}, 200, 'no-cache, private', undefined],
    ['GET', '/apis', { accept: AGGREGATED }, 200, 'public', undefined],
    ['GET', '/openid/v1/jwks', { accept: '*/*' }, 200, 'public, max-age=3600', undefined],
    // Authorization and impersonation repeat what the client sent; admission's refusals are those of a handler.
    ['GET', PATH, { user: bob }, 403, 'no-cache, private', 'nosniff'],
    ['GET', '/metrics', { user: bob }, 403, 'no-cache, private', 'nosniff'],
    ['GET', PATH, { user: bob, headers: { 'impersonate-user': 'ann' } }, 403, 'no-cache, private', 'nosniff'],
    ['GET', PATH, { headers: { 'impersonate-uid': 'u' } }, 400, 'no-cache, private', 'nosniff'],
    ['GET', `${PATH}?limit=x`, {}, 400, 'no-cache, private', undefined],
    ['GET', `${PATH}?timeout=x`, {}, 400, 'no-cache, private', undefined],
    ['DELETE', '/api/v1/namespaces/default', {}, 403, 'no-cache, private', undefined],
  ];
  it.each(cases)('%s %s %j', async (method, target, options, status, caching, sniffing) => {
    const { response } = await server.call(method, target, options);
    expect(response.status).toBe(status);
    expect(response.headers['cache-control']).toBe(caching);
    expect(response.headers['x-content-type-options']).toBe(sniffing);
    expect(response.headers['audit-id']).toMatch(/./);
  });

  it('allow everybody to cache an unchanged discovery document, too', async () => {
    const { etag } = (await server.call('GET', '/apis', { accept: AGGREGATED })).response.headers;
    const again = await server.call('GET', '/apis', { accept: AGGREGATED, headers: { 'if-none-match': etag! } });
    expect(again.response).toMatchObject({ status: 304, headers: { etag, 'cache-control': 'public', vary: 'Accept' } });
  });
});

describe('lists', () => {
  it('pages through a consistent snapshot', async () => {
    for (const name of ['p1', 'p2', 'p3', 'p4', 'p5'])
      await server.call('POST', PATH, { body: { ...configMap(name), metadata: { name, labels: { page: 'yes' } } } });
    const first = await server.call('GET', `${PATH}?limit=2&labelSelector=page%3Dyes`);
    const names = (answer: typeof first): string[] =>
      (answer.body['items'] as { metadata: { name: string } }[]).map((i) => i.metadata.name);
    expect(names(first)).toEqual(['p1', 'p2']);
    await server.call('DELETE', `${PATH}/p3`);
    const token = (first.body.metadata as { continue?: string }).continue!;
    const second = await server.call('GET', `${PATH}?limit=2&labelSelector=page%3Dyes&continue=${token}`);
    expect(names(second)).toEqual(['p3', 'p4']);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  it('lists items of built-in kinds without kind and apiVersion', async () => {
    const answer = await server.call('GET', '/api/v1/namespaces');
    expect(answer.body).toMatchObject({ kind: 'NamespaceList', apiVersion: 'v1' });
    for (const item of answer.body['items'] as Record<string, unknown>[])
      expect(Object.keys(item)).not.toContain('kind');
  });

  it('shows no annotation that stands for a field in tables and metadata', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const path = '/apis/apps/v1/namespaces/default/daemonsets';
    const create = (name: string, annotations: object): Promise<unknown> =>
      server.call('POST', path, {
        body: { metadata: { name, annotations }, spec: { selector: { matchLabels: { a: 'b' } }, template } },
      });
    await create('plain', {});
    await create('noted', { note: 'x' });
    const generation = { 'deprecated.daemonset.template.generation': '1' };
    const get = async (name: string, as?: string): Promise<unknown> => {
      const accept = as ? `application/json;as=${as};v=v1;g=meta.k8s.io` : 'application/json';
      const { body } = await server.call('GET', `${path}/${name}`, { accept });
      return as === 'Table'
        ? (body['rows'] as { object: { metadata: { annotations?: object } } }[])[0]!.object.metadata.annotations
        : body.metadata.annotations;
    };
    expect(await get('plain')).toEqual(generation);
    expect(await get('noted')).toEqual({ note: 'x', ...generation });
    for (const as of ['Table', 'PartialObjectMetadata']) {
      expect(await get('plain', as)).toBeUndefined();
      expect(await get('noted', as)).toEqual({ note: 'x' });
    }
  });

  it('shows tables', async () => {
    const answer = await server.call('GET', '/api/v1/namespaces/default/configmaps?limit=1', {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    expect(answer.body.kind).toBe('Table');
  });
});

describe('the last byte', () => {
  const NAMESPACE = '/api/v1/namespaces/default';
  it.each([
    [NAMESPACE, '}\n'],
    [`${NAMESPACE}?pretty=true`, '\n}'],
    ['/api/v1/namespaces', '}\n'],
    ['/api/v1/namespaces?pretty=true', '\n}'],
    ['/api/v1/namespaces?labelSelector=none', '}\n'],
    ['/api/v1/namespaces/nobody', '}\n'],
    ['/apis', '}\n'],
    ['/version', '\n}'],
  ])('of %s', async (target, expected) => {
    const { response } = await server.call('GET', target);
    expect(response.body?.toString().slice(-2)).toBe(expected);
  });
});
