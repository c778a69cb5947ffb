import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Ingress } from '../api/generated/networking-v1.ts';
import { createAuthority, issue } from '../apiserver/pki/certificates.ts';
import { startTestServer } from '../apiserver/testing/index.ts';
import { Client } from '../client/index.ts';
import { inProcessTransport } from '../cluster/in-process-transport.ts';
import { createContext } from '../kernel/index.ts';
import { buildRoutingTable, findBackend } from './routing-table.ts';
import { run } from './run.ts';

const path = (text: string, service: string, pathType = 'Prefix') => ({
  path: text,
  pathType,
  backend: { service: { name: service, port: { number: 80 } } },
});
const ingress = (name: string, spec: Ingress['spec'], creationTimestamp = '2026-01-01T00:00:00Z'): Ingress => ({
  metadata: { name, namespace: 'default', creationTimestamp },
  spec,
});

describe('routing', () => {
  const table = buildRoutingTable([
    ingress('a', {
      rules: [
        {
          host: 'a.example',
          http: {
            paths: [
              path('/', 'root'),
              path('/foo', 'foo'),
              path('/foo/bar/', 'bar'),
              path('/foo', 'exact-foo', 'Exact'),
            ],
          },
        },
        { host: '*.wild.example', http: { paths: [path('/', 'wild')] } },
        { host: 'named.wild.example', http: { paths: [path('/x', 'named')] } },
        { http: { paths: [path('/any', 'any')] } },
      ],
    }),
    ingress(
      'young',
      { rules: [{ host: 'a.example', http: { paths: [path('/foo', 'late')] } }] },
      '2026-02-01T00:00:00Z',
    ),
    ingress('default', { defaultBackend: { service: { name: 'fallback', port: { name: 'web' } } } }),
  ]);
  it.each([
    ['a.example', '/', 'root'],
    ['A.EXAMPLE:8080', '/other', 'root'],
    ['a.example', '/foo', 'exact-foo'],
    ['a.example', '/foo/', 'foo'],
    ['a.example', '/foobar', 'root'],
    ['a.example', '/foo/bar', 'bar'],
    ['a.example', '/foo/bar/baz', 'bar'],
    ['x.wild.example', '/', 'wild'],
    ['x.y.wild.example', '/', 'fallback'],
    ['wild.example', '/', 'fallback'],
    ['named.wild.example', '/x', 'named'],
    ['named.wild.example', '/y', 'wild'],
    ['other.example', '/any/thing', 'any'],
    ['other.example', '/', 'fallback'],
  ])('%s%s is for %s', (host, requested, service) => {
    expect(findBackend(table, host, requested)?.service).toBe(service);
  });
});

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function backend(answer: string): Promise<number> {
  const server = http.createServer((request, response) =>
    response.end(
      `${answer} ${request.url} ${request.headers['x-forwarded-proto']} ${request.headers['x-forwarded-host']}`,
    ),
  );
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.on('message', (text) => socket.send(`${answer} heard ${String(text)}`)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as net.AddressInfo).port;
}

async function start() {
  const server = await startTestServer();
  const stop = new AbortController();
  const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
  const client = new Client({
    transport: inProcessTransport({
      handle: server.pipeline.handle,
      user: { name: 'admin', groups: ['system:masters'] },
      signal: stop.signal,
    }),
    clock: ctx.clock,
    userAgent: 'test',
  });
  let running: Promise<void> | undefined;
  const ports = await new Promise<{ httpPort: number; httpsPort: number }>((resolve, reject) => {
    running = run(ctx, {
      client,
      config: { address: '127.0.0.1', httpPort: 0, httpsPort: 0, ingressClass: 'k8ts' },
      connect: ({ port }) => net.connect(port, '127.0.0.1'),
      onReady: resolve,
    });
    running.catch(reject);
  });
  endings.push(
    () => server.stop(),
    async () => {
      stop.abort(new Error('the test has ended'));
      await running;
    },
  );
  const expose = async (name: string, port: number): Promise<void> => {
    await client.resource('v1/services').create({
      metadata: { name, namespace: 'default' },
      spec: { ports: [{ name: 'web', port: 80, targetPort: port }] },
    });
    // Loopback addresses cannot be endpoints; the test leads this one there.
    await client.resource('discovery.k8s.io/v1/endpointslices').create({
      metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: 'web', port }],
      endpoints: [{ addresses: ['192.0.2.1'] }],
    });
  };
  const get = (
    host: string,
    url: string,
    options: https.RequestOptions & { tls?: boolean } = {},
  ): Promise<{ status: number | undefined; text: string; authorized?: boolean }> =>
    new Promise((resolve, reject) => {
      const { tls, ...rest } = options;
      const request = (tls ? https : http).get(
        {
          host: '127.0.0.1',
          port: tls ? ports.httpsPort : ports.httpPort,
          path: url,
          headers: { host },
          agent: false,
          ...rest,
        },
        (response) => {
          let text = '';
          response.on('data', (bytes: Buffer) => (text += bytes.toString()));
          response.on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      request.on('error', reject);
    });
  return { client, ports, expose, get, ctx };
}

describe('the ingress controller', () => {
  it('serves by host and path, writes the status, follows changes', async () => {
    const { client, expose, get } = await start();
    await expose('web', await backend('web'));
    await expose('api', await backend('api'));
    const ingresses = client.resource('networking.k8s.io/v1/ingresses');
    await ingresses.create({
      metadata: { name: 'site', namespace: 'default' },
      spec: { rules: [{ host: 'site.example', http: { paths: [path('/', 'web'), path('/api', 'api')] } }] },
    });
    await expect.poll(async () => (await get('site.example', '/hello')).text).toBe('web /hello http site.example');
    expect((await get('site.example', '/api/v1?q=1')).text).toBe('api /api/v1?q=1 http site.example');
    expect(await get('other.example', '/')).toEqual({ status: 404, text: 'default backend - 404\n' });
    await expect
      .poll(
        async () =>
          (await ingresses.get({ name: 'site', namespace: 'default' })).status?.loadBalancer?.ingress?.[0]?.ip,
      )
      .toBe('127.0.0.1');
    // The class was made, and made the default: the Ingress did not name one.
    expect((await ingresses.get({ name: 'site', namespace: 'default' })).spec?.ingressClassName).toBe('k8ts');
    await client.resource('discovery.k8s.io/v1/endpointslices').delete({ name: 'api', namespace: 'default' });
    await expect.poll(async () => (await get('site.example', '/api')).status).toBe(503);
    await ingresses.delete({ name: 'site', namespace: 'default' });
    await expect.poll(async () => (await get('site.example', '/')).status).toBe(404);
  });

  it('ends TLS with the Secret’s certificate and passes WebSockets on', async () => {
    const { client, expose, get, ports, ctx } = await start();
    await expose('web', await backend('web'));
    const ca = await createAuthority(ctx, 'test');
    const certificate = await issue(ctx, ca, {
      commonName: 'site.example',
      dnsNames: ['site.example'],
      usage: 'server',
    });
    const data = {
      'tls.crt': Buffer.from(certificate.certificate).toString('base64'),
      'tls.key': Buffer.from(certificate.key).toString('base64'),
    };
    await client
      .resource('v1/secrets')
      .create({ metadata: { name: 'cert', namespace: 'default' }, type: 'kubernetes.io/tls', data });
    await client.resource('networking.k8s.io/v1/ingresses').create({
      metadata: { name: 'site', namespace: 'default' },
      spec: {
        ingressClassName: 'k8ts',
        tls: [{ hosts: ['site.example'], secretName: 'cert' }],
        rules: [{ host: 'site.example', http: { paths: [path('/', 'web')] } }],
      },
    });
    const secure = () => get('site.example', '/s', { tls: true, servername: 'site.example', ca: ca.certificate });
    await expect
      .poll(async () => (await secure().catch((error: Error) => ({ text: error.message }))).text, { timeout: 5000 })
      .toBe('web /s https site.example');
    await expect(
      get('unknown.example', '/', { tls: true, servername: 'unknown.example', ca: ca.certificate }),
    ).rejects.toThrow();
    const socket = new WebSocket(`ws://127.0.0.1:${ports.httpPort}/ws`, { headers: { host: 'site.example' } });
    const heard = await new Promise<string>((resolve, reject) => {
      socket.on('open', () => socket.send('hi'));
      socket.on('message', (text) => resolve(String(text)));
      socket.on('error', reject);
    });
    socket.terminate();
    expect(heard).toBe('web heard hi');
  });

  it('ignores Ingresses of other classes', async () => {
    const { client, expose, get } = await start();
    await expose('web', await backend('web'));
    await client
      .resource('networking.k8s.io/v1/ingressclasses')
      .create({ metadata: { name: 'other' }, spec: { controller: 'example.com/other' } });
    await client.resource('networking.k8s.io/v1/ingresses').create({
      metadata: { name: 'theirs', namespace: 'default' },
      spec: { ingressClassName: 'other', rules: [{ host: 'theirs.example', http: { paths: [path('/', 'web')] } }] },
    });
    await client.resource('networking.k8s.io/v1/ingresses').create({
      metadata: { name: 'ours', namespace: 'default' },
      spec: { ingressClassName: 'k8ts', rules: [{ host: 'ours.example', http: { paths: [path('/', 'web')] } }] },
    });
    await expect.poll(async () => (await get('ours.example', '/')).status).toBe(200);
    expect((await get('theirs.example', '/')).status).toBe(404);
  });
});
