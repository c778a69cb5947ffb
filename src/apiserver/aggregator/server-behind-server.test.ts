import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMemoryStore } from '../../etcd/index.ts';
import { createContext } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { splitTarget } from '../../net/http/index.ts';
import { openPki, type ClusterPki } from '../pki/files.ts';
import type { ApiResponse, ResponseSink, UserInfo } from '../request/request.ts';
import { startApiServer, type ApiServer } from '../server.ts';
import { dialLoopback } from '../testing/index.ts';

/** Two of our own servers: the one in front knows custom resources only from the one behind it. */
const ADMIN: UserInfo = { name: 'jane', groups: ['system:masters', 'system:authenticated'] };
const end = new AbortController();
const ctx = createContext({ signal: end.signal, writeLog: () => {} });
const stores = [createMemoryStore({ clock: ctx.clock }), createMemoryStore({ clock: ctx.clock })];
let front: ApiServer;
let behind: ApiServer;

async function start(store: (typeof stores)[number], pki: ClusterPki): Promise<ApiServer> {
  return startApiServer(ctx, {
    store,
    pki,
    host: '127.0.0.1',
    port: 0,
    advertiseAddress: '192.0.2.1',
    serviceClusterIpRange: '10.96.0.0/16',
    dial: dialLoopback,
  });
}

const sent = (server: ApiServer, method: string, target: string, body?: unknown, user = ADMIN): Promise<ApiResponse> =>
  server.handle({
    method,
    ...splitTarget(target),
    headers: { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'test' },
    readBody: () => Promise.resolve(Buffer.from(body === undefined ? '' : JSON.stringify(body))),
    user,
    remoteAddress: '127.0.0.1',
    signal: end.signal,
  });

async function call(
  server: ApiServer,
  method: string,
  target: string,
  body?: unknown,
  user = ADMIN,
): Promise<{ status: number; body: KubeObject }> {
  const response = await sent(server, method, target, body, user);
  const pieces: string[] = [response.body?.toString() ?? ''];
  await response.stream?.(sinkFor((piece) => pieces.push(piece), end.signal));
  const text = pieces.join('');
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : {}) as KubeObject };
}

const sinkFor = (take: (piece: string) => void, signal: AbortSignal): ResponseSink => ({
  write: (piece) => {
    take(piece.toString());
    return true;
  },
  drained: () => Promise.resolve(),
  pending: 0,
  signal,
});

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TOYS = '/apis/play.example.com/v1/namespaces/default/toys';
const toy = (name: string): unknown => ({
  apiVersion: 'play.example.com/v1',
  kind: 'Toy',
  metadata: { name },
  spec: { color: 'red' },
});

beforeAll(async () => {
  const [frontPki, behindPki] = await Promise.all([
    openPki(ctx, undefined, { dnsNames: ['localhost'], addresses: ['127.0.0.1'], signingKey: 'ec' }),
    openPki(ctx, undefined, { dnsNames: ['extension.default.svc'], addresses: ['127.0.0.1'], signingKey: 'ec' }),
  ]);
  [front, behind] = await Promise.all([
    start(stores[0]!, frontPki),
    start(stores[1]!, { ...behindPki, frontProxyCa: frontPki.frontProxyCa }),
  ]);
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { color: { type: 'string' } } } },
    },
  };
  const spec = {
    group: 'play.example.com',
    scope: 'Namespaced',
    names: { plural: 'toys', kind: 'Toy' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  };
  await call(behind, 'POST', CRDS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'toys.play.example.com' },
    spec,
  });
  await until('the definition is established', async () => (await call(behind, 'GET', TOYS)).status === 200);
  await call(front, 'POST', '/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'extension' },
    spec: { ports: [{ port: 443 }] },
  });
  const slice: KubeObject = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'extension-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'extension' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: behind.port }],
    endpoints: [{ addresses: ['192.0.2.10'] }],
  };
  await call(front, 'POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', slice);
  await call(front, 'POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.play.example.com' },
    spec: {
      group: 'play.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      service: { namespace: 'default', name: 'extension' },
      caBundle: Buffer.from(behindPki.ca.certificate).toString('base64'),
    },
  });
  await until('the server behind is available', async () => (await call(front, 'GET', TOYS)).status === 200);
});

afterAll(async () => {
  end.abort();
  await Promise.all([front.finished, behind.finished]);
  await Promise.all(stores.map((store) => store.close()));
});

it('writes through the one to the other, in the name of the caller', async () => {
  const created = await call(front, 'POST', TOYS, toy('ball'));
  expect([created.status, created.body.metadata.name]).toEqual([201, 'ball']);
  expect((await call(behind, 'GET', `${TOYS}/ball`)).body['spec']).toEqual({ color: 'red' });
  expect((await call(front, 'POST', TOYS, toy('kite'), { name: 'joe', groups: ['system:authenticated'] })).status).toBe(
    403,
  );
});

it('watches objects of the server behind through the server in front', async () => {
  const stop = new AbortController();
  const response = await sent(front, 'GET', `${TOYS}?watch=true`);
  expect(response.status).toBe(200);
  const events: string[] = [];
  const seen = new Promise<void>((resolve, reject) => {
    const sink = sinkFor((piece) => {
      events.push(piece);
      if (piece.includes('"doll"')) resolve();
    }, stop.signal);
    response.stream!(sink).catch(reject);
  });
  await call(behind, 'POST', TOYS, toy('doll'));
  await seen;
  stop.abort();
  expect(events.join('')).toMatch(/"type":"ADDED"[\s\S]*"name":"doll"/);
});

it('describes both', async () => {
  const discovered = await call(front, 'GET', '/apis/play.example.com/v1');
  expect(discovered.body['resources']).toMatchObject([{ name: 'toys', kind: 'Toy' }]);
  await until('OpenAPI knows toys', async () =>
    JSON.stringify((await call(front, 'GET', '/openapi/v2')).body['definitions']).includes('com.example.play.v1.Toy'),
  );
});
