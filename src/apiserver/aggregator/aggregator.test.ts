import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { APIService } from '../../api/generated/apiregistration-v1.ts';
import { until } from '../../kernel/testing/index.ts';
import type { ResponseSink } from '../request/request.ts';
import { dialLoopback, startTestServer, type TestAnswer, type TestServer } from '../testing/index.ts';
import {
  startHttpsServer,
  type TestCall,
  type TestHttpsServer,
  type TestReply,
} from '../webhook-client/testing/index.ts';

const GROUP = 'wardle.example.com';
const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/v1`,
  resources: [
    {
      name: 'flunders',
      singularName: 'flunder',
      namespaced: true,
      kind: 'Flunder',
      verbs: ['get', 'list', 'watch'],
      shortNames: ['fl'],
    },
    { name: 'flunders/status', singularName: '', namespaced: true, kind: 'Flunder', verbs: ['get'] },
  ],
};
const SWAGGER = {
  swagger: '2.0',
  paths: {
    [`/apis/${GROUP}/v1/flunders`]: {
      get: { responses: { 200: { schema: { $ref: '#/definitions/com.example.Flunder' } } } },
    },
    '/api/v1/pods': { get: { responses: {} } },
  },
  definitions: {
    'com.example.Flunder': {
      type: 'object',
      properties: { metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' } },
    },
    'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object', description: 'another idea of it' },
    'com.example.Unused': { type: 'object' },
  },
};

let api: TestServer;
let remote: TestHttpsServer;
const usual = (call: TestCall): TestReply | undefined => {
  const path = call.path.split('?')[0];
  if (path === `/apis/${GROUP}/v1`) return { body: RESOURCES };
  if (path === '/openapi/v2') return { body: SWAGGER };
  if (path === '/openapi/v3')
    return {
      body: { paths: { [`apis/${GROUP}/v1`]: { serverRelativeURL: `/openapi/v3/apis/${GROUP}/v1?hash=abc` } } },
    };
  if (path === `/openapi/v3/apis/${GROUP}/v1`) return { body: { openapi: '3.0.0' } };
  if (path === `/apis/${GROUP}/v1/flunders`)
    return { body: { kind: 'FlunderList', items: [] }, status: call.method === 'POST' ? 201 : 200 };
  return { status: 404, body: 'nothing' };
};
let answer = usual;

beforeAll(async () => {
  api = await startTestServer({ dial: dialLoopback });
  remote = await startHttpsServer((call) => answer(call), {
    dnsNames: ['wardle.default.svc'],
    clientCa: await frontProxyCa(),
  });
});

/** What the extension-apiserver-authentication ConfigMap tells extension servers. */
async function frontProxyCa(): Promise<string> {
  const { body } = await api.call(
    'GET',
    '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
  );
  return (body['data'] as Record<string, string>)['requestheader-client-ca-file']!;
}

afterAll(async () => {
  await api.stop();
  await remote.close();
});

beforeEach(() => {
  answer = usual;
  remote.calls.length = 0;
});

const APISERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const NAME = `v1.${GROUP}`;

async function register(over: Record<string, unknown> = {}): Promise<void> {
  await api.call('DELETE', `${APISERVICES}/${NAME}`);
  const spec = {
    group: GROUP,
    version: 'v1',
    groupPriorityMinimum: 2000,
    versionPriority: 10,
    service: { namespace: 'default', name: 'wardle' },
    caBundle: remote.caBundle,
    ...over,
  };
  const made = await api.call('POST', APISERVICES, {
    body: { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: NAME }, spec },
  });
  expect(made.status, made.text).toBe(201);
}

async function exposeRemote(): Promise<void> {
  await api.call('POST', '/api/v1/namespaces/default/services', {
    body: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'wardle' }, spec: { ports: [{ port: 443 }] } },
  });
  const { registry } = api.pipeline.chain.backend;
  if (registry.lookup('discovery.k8s.io', 'v1', 'endpointslices', 'default', 'wardle-1')) return;
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'wardle-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'wardle' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: remote.port }],
    endpoints: [{ addresses: ['192.0.2.10'] }],
  };
  const made = await api.call('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', { body: slice });
  expect(made.status, made.text).toBe(201);
}

async function condition(
  reason: string,
): Promise<NonNullable<NonNullable<APIService['status']>['conditions']>[number]> {
  for (let i = 0; i < 500; i++) {
    const { body } = await api.call('GET', `${APISERVICES}/${NAME}`);
    const found = (body as unknown as APIService).status?.conditions?.find(({ type }) => type === 'Available');
    if (found?.reason === reason) return found;
    await new Promise((resolve) => setImmediate(resolve));
    if (i % 10 === 9) await api.ctx.clock.advance(10);
  }
  throw new Error(`${NAME} never became ${reason}: ${(await api.call('GET', `${APISERVICES}/${NAME}`)).text}`);
}

const get = (path: string, accept = 'application/json'): Promise<TestAnswer> => api.call('GET', path, { accept });

async function streamed(found: TestAnswer): Promise<string> {
  const pieces: string[] = [];
  const sink: ResponseSink = {
    write: (piece) => pieces.push(piece.toString()) > 0,
    drained: () => Promise.resolve(),
    pending: 0,
    signal: new AbortController().signal,
  };
  await found.response.stream?.(sink);
  return pieces.join('');
}

describe('availability', () => {
  it('reports why a server is not available', async () => {
    await register();
    expect(await condition('ServiceNotFound')).toMatchObject({
      status: 'False',
      message: 'service/wardle in "default" is not present',
    });
    const refused = await get(`/apis/${GROUP}/v1/flunders`);
    expect([refused.status, refused.text]).toEqual([503, 'service unavailable\n']);
    await api.call('POST', '/api/v1/namespaces/default/services', {
      body: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'wardle' }, spec: { ports: [{ port: 443 }] } },
    });
    expect(await condition('EndpointsNotFound')).toMatchObject({
      status: 'False',
      message: 'cannot find endpointslices for service/wardle in "default"',
    });
    await register({ service: { namespace: 'default', name: 'wardle', port: 444 } });
    expect(await condition('ServicePortError')).toMatchObject({
      message: 'service/wardle in "default" is not listening on port 444',
    });
  });

  it('checks the server itself, and repeats that until it answers', async () => {
    answer = () => ({ status: 500, body: 'no' });
    await exposeRemote();
    await register();
    const url = `https://192.0.2.10:${remote.port}/apis/${GROUP}/v1`;
    expect(await condition('FailedDiscoveryCheck')).toMatchObject({
      status: 'False',
      message: `failing or missing response from ${url}: bad status from ${url}: 500`,
    });
    expect(remote.calls[0]).toMatchObject({ path: `/apis/${GROUP}/v1`, clientName: 'front-proxy-client' });
    expect(remote.calls[0]?.headers).toMatchObject({
      'x-remote-user': 'system:kube-aggregator',
      'x-remote-group': 'system:masters',
    });
    answer = usual;
    expect(await condition('Passed')).toMatchObject({ status: 'True', message: 'all checks passed' });
    const asked = () => remote.calls.find(({ path }) => path === '/openapi/v2');
    const openapi = await vi.waitFor(() => asked() ?? expect.fail('OpenAPI was not asked for'));
    expect(openapi.headers['x-remote-user']).toBe('system:aggregator');
    expect(openapi.headers['x-remote-group']).toBeUndefined();
  });

  it('verifies the server unless insecureSkipTLSVerify is set', async () => {
    await exposeRemote();
    await register({ caBundle: undefined });
    expect((await condition('FailedDiscoveryCheck')).message).toContain(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
    await register({ caBundle: undefined, insecureSkipTLSVerify: true });
    await condition('Passed');
  });
});

describe('an available server', () => {
  beforeAll(async () => {
    await exposeRemote();
    await register();
    await condition('Passed');
    await until('its resources are known', async () =>
      (await get('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList')).text.includes(
        'flunders',
      ),
    );
  });

  it('gets requests with the identity of their user', async () => {
    const user = {
      name: 'jane',
      uid: 'u1',
      groups: ['devs', 'system:authenticated', 'system:masters'],
      extra: { 'example.com/Scope%': ['a', 'b'] },
    };
    const found = await api.call('POST', `/apis/${GROUP}/v1/flunders?dryRun=All`, {
      user,
      body: { a: 1 },
      headers: { authorization: 'Bearer secret', 'x-remote-user': 'root', host: 'api.example.com' },
    });
    expect(found.status).toBe(201);
    const call = remote.calls.find(({ method }) => method === 'POST')!;
    expect(call).toMatchObject({
      path: `/apis/${GROUP}/v1/flunders?dryRun=All`,
      body: { a: 1 },
      clientName: 'front-proxy-client',
    });
    expect(call.headers).toMatchObject({
      host: `192.0.2.10:${remote.port}`,
      'x-remote-user': 'jane',
      'x-remote-uid': 'u1',
      'x-remote-group': 'devs, system:authenticated, system:masters',
      'x-remote-extra-example.com%2fscope%25': 'a, b',
    });
    expect(call.headers).not.toHaveProperty('authorization');
  });

  it('gets only requests that the user is allowed to send', async () => {
    const refused = await api.call('GET', `/apis/${GROUP}/v1/flunders`, {
      user: { name: 'nobody', groups: ['system:authenticated'] },
    });
    expect(refused.status).toBe(403);
    expect(remote.calls.filter(({ path }) => path.endsWith('/flunders'))).toHaveLength(0);
  });

  it('answers as a stream', async () => {
    expect(JSON.parse(await streamed(await get(`/apis/${GROUP}/v1/flunders`)))).toEqual({
      kind: 'FlunderList',
      items: [],
    });
  });

  it('is in discovery, by its priority', async () => {
    const groups = ((await get('/apis')).body['groups'] as { name: string; versions: unknown[] }[]).map(
      ({ name }) => name,
    );
    expect(groups[0]).toBe('apiregistration.k8s.io');
    expect(groups.indexOf(GROUP)).toBeGreaterThan(groups.indexOf('flowcontrol.apiserver.k8s.io'));
    expect((await get(`/apis/${GROUP}`)).body).toMatchObject({
      name: GROUP,
      preferredVersion: { groupVersion: `${GROUP}/v1` },
    });
    const all = JSON.parse(
      (await get('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList')).text,
    ) as { items: { metadata: { name: string }; versions: unknown[] }[] };
    expect(all.items.find(({ metadata }) => metadata.name === GROUP)?.versions).toMatchObject([
      {
        version: 'v1',
        freshness: 'Current',
        resources: [
          {
            resource: 'flunders',
            scope: 'Namespaced',
            responseKind: { group: GROUP, version: 'v1', kind: 'Flunder' },
            subresources: [{ subresource: 'status' }],
          },
        ],
      },
    ]);
    expect(JSON.parse(await streamed(await get(`/apis/${GROUP}/v1`)))).toEqual(RESOURCES);
  });

  it('is in OpenAPI, with definitions that mean other things under other names', async () => {
    const { paths, definitions } = (await get('/openapi/v2')).body as unknown as {
      paths: Record<string, Record<string, unknown>>;
      definitions: Record<string, Record<string, unknown>>;
    };
    expect(paths[`/apis/${GROUP}/v1/flunders`]).toBeDefined();
    expect(paths['/api/v1/pods']?.['post']).toBeUndefined();
    expect(definitions['com.example.Unused']).toBeUndefined();
    expect(definitions['com.example.Flunder']).toMatchObject({
      properties: { metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta_v2' } },
    });
    const root = (await get('/openapi/v3')).body as unknown as { paths: Record<string, { serverRelativeURL: string }> };
    expect(root.paths[`apis/${GROUP}/v1`]).toEqual({ serverRelativeURL: `/openapi/v3/apis/${GROUP}/v1?hash=abc` });
    expect(root.paths['apis/apps/v1']).toBeDefined();
    expect(await streamed(await get(`/openapi/v3/apis/${GROUP}/v1?hash=abc`))).toBe('{"openapi":"3.0.0"}');
  });

  it('gets upgraded connections', async () => {
    remote.server.once('upgrade', (request, socket) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n${String(request.headers['x-remote-user'])}:`,
      );
      socket.on('data', (data: Buffer) => socket.write(data));
    });
    const front = http.createServer();
    front.on('upgrade', (rawRequest: http.IncomingMessage, socket: net.Socket, head: Buffer) => {
      void api.pipeline.handle({
        method: 'GET',
        path: `/apis/${GROUP}/v1/flunders`,
        query: new URLSearchParams(),
        headers: { accept: '*/*' },
        readBody: () => Promise.resolve(Buffer.alloc(0)),
        user: { name: 'jane', groups: ['system:masters'] },
        remoteAddress: '127.0.0.1',
        signal: api.ctx.signal,
        upgrade: { socket, head, rawRequest },
      });
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const client = net.connect((front.address() as net.AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\nhello');
    let text = '';
    for await (const piece of client as AsyncIterable<Buffer>) {
      text += piece.toString();
      if (text.includes('hello')) break;
    }
    expect(text).toMatch(/^HTTP\/1\.1 101 [\s\S]*jane:hello$/);
    client.destroy();
    front.close();
  });

  it('is removed with its APIService', async () => {
    await api.call('DELETE', `${APISERVICES}/${NAME}`);
    expect((await get(`/apis/${GROUP}/v1/flunders`)).status).toBe(404);
    expect((await get('/apis')).text).not.toContain(GROUP);
  });
});

describe('APIServices of custom resources', () => {
  const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'toys.play.example.com' },
    spec: {
      group: 'play.example.com',
      scope: 'Namespaced',
      names: { plural: 'toys', kind: 'Toy' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };

  it('are created and deleted with them, and created again after a deletion', async () => {
    const path = `${APISERVICES}/v1.play.example.com`;
    expect((await api.call('POST', CRDS, { body: crd })).status).toBe(201);
    await until('it comes', async () => (await get(path)).status === 200);
    expect((await get(path)).body).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: { group: 'play.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ reason: 'Local', status: 'True' }] },
    });
    const { uid } = (await get(path)).body.metadata;
    await api.call('DELETE', path);
    await until(
      'it comes again',
      async () => (await get(path)).body.metadata?.uid !== uid && (await get(path)).status === 200,
    );
    await api.call('DELETE', `${CRDS}/toys.play.example.com`);
    await until('it goes', async () => (await get(path)).status === 404);
  });

  it('versions are ranked while their objects are being created', async () => {
    const version = { served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } };
    const versions = [
      { ...version, name: 'v1', storage: true },
      { ...version, name: 'v1beta1' },
      { ...version, name: 'v2' },
    ];
    const group = 'order.example.com';
    const seen = new Set<string>();
    const { cache } = api.pipeline.chain.backend.registry.require('apiregistration.k8s.io', 'v1', 'apiservices');
    const stop = cache.watch({
      scope: '',
      deliver: () =>
        seen.add(
          versions
            .map(({ name }) => api.pipeline.chain.aggregator!.aggregatedApis.priorityOf(group, name)?.version)
            .join(' '),
        ),
    });
    expect(
      (
        await api.call('POST', CRDS, {
          body: { ...crd, metadata: { name: `toys.${group}` }, spec: { ...crd.spec, group, versions } },
        })
      ).status,
    ).toBe(201);
    await until('all have come', async () =>
      (await Promise.all(versions.map(({ name }) => get(`${APISERVICES}/${name}.${group}`)))).every(
        ({ status }) => status === 200,
      ),
    );
    stop();
    expect([...seen]).toEqual(['100 100 100']);
    expect((await get(`/apis/${group}`)).body).toMatchObject({
      preferredVersion: { version: 'v2' },
      versions: [{ version: 'v2' }, { version: 'v1' }, { version: 'v1beta1' }],
    });
    await api.call('DELETE', `${CRDS}/toys.${group}`);
  });
});
