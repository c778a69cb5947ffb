import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import { openPki } from '../pki/files.ts';
import type { Exchange } from '../request/exchange.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { healthEndpoints } from './health.ts';
import { PostStartHooks, type PostStartHook } from './post-start-hooks.ts';
import { serverChecks } from './server-checks.ts';

const HOOKS = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'aggregator-reload-proxy-client-cert',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
  'AUTOREGISTER',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
].map((name) => (name === 'AUTOREGISTER' ? 'autoregister-completion' : `poststarthook/${name}`));
const LIVE = ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...HOOKS];
const READY = ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...HOOKS, 'shutdown'];

describe('a server that has started', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  it.each([
    ['healthz', LIVE],
    ['livez', LIVE],
    ['readyz', READY],
  ])('passes all checks of /%s, together and by name', async (endpoint, names) => {
    const { text } = await server.call('GET', `/${endpoint}?verbose`, { accept: '*/*' });
    expect(text.split('\n')).toEqual([...names.map((name) => `[+]${name} ok`), `${endpoint} check passed`, '']);
    for (const name of names) {
      const one = await server.call('GET', `/${endpoint}/${name}`, { accept: '*/*' });
      expect([name, one.status, one.text]).toEqual([name, 200, 'ok']);
      const without = await server.call('GET', `/${endpoint}?verbose&exclude=${name}`, { accept: '*/*' });
      expect(without.text).toContain(`[+]${name} excluded: ok\n`);
    }
  });

  it.each(['/livez/etcd-readiness', '/livez/shutdown', '/readyz/loopback-serving-certificate', '/readyz/nosuch'])(
    'has no %s',
    async (target) => expect((await server.call('GET', target, { accept: '*/*' })).status).toBe(404),
  );

  it('names unknown exclusions, sorted', async () => {
    const { text } = await server.call('GET', '/livez?verbose&exclude=z&exclude=a', { accept: '*/*' });
    expect(text).toContain('warn: some health checks cannot be excluded: no matches for "a", "z"\n');
  });
});

it('fails /readyz, and nothing else, once the server is to end', async () => {
  const stopping = new AbortController();
  const server = await startTestServer({ stopping: stopping.signal });
  stopping.abort();
  const { status, text } = await server.call('GET', '/readyz', { accept: '*/*' });
  expect(status).toBe(500);
  expect(text).toMatch(/^\[-\]shutdown failed: reason withheld$/m);
  expect(text.match(/^\[-\]/gm)).toHaveLength(1);
  expect((await server.call('GET', '/livez', { accept: '*/*' })).status).toBe(200);
  expect((await server.call('GET', '/api/v1/namespaces/default')).status).toBe(200);
  await server.stop();
});

describe('a check', () => {
  let ctx: TestContext;
  let certificate: string;
  beforeEach(async () => {
    ctx = createTestContext();
    certificate = (await openPki(ctx, undefined, { dnsNames: ['localhost'], addresses: [], signingKey: 'ec' }))
      .apiserver.certificate;
  });
  afterEach(() => ctx.stop());

  const available = { status: { conditions: [{ type: 'Available', status: 'True' }] } };
  let state = { blocked: false, following: true, services: new Map<string, object>() };

  function server(): { hooks: PostStartHooks; get: (target: string) => Promise<[number, string]> } {
    state = { blocked: false, following: true, services: new Map([['v1.', available]]) };
    const hooks = new PostStartHooks();
    const blocked = { get: () => state.blocked };
    const logger = Object.defineProperty(Object.create(ctx.logger) as typeof ctx.logger, 'isBlocked', blocked);
    const checks = serverChecks({
      ctx: { clock: ctx.clock, signal: ctx.signal, logger },
      store: {
        range: () => Promise.resolve({ kvs: [], count: 0, more: false, revision: 1 }),
        alarms: () => Promise.resolve([]),
      },
      cache: {
        get isFollowing() {
          return state.following;
        },
      },
      hooks,
      servingCertificate: () => certificate,
      apiServices: {
        get: (_: string, name: string) => state.services.has(name) && { object: state.services.get(name) },
      } as never,
      localApiServices: ['v1.', 'v1.apps'],
    });
    const endpoints = healthEndpoints(ctx, checks);
    return {
      hooks,
      get: async (path) => {
        const exchange = { request: { query: new URLSearchParams() } } as unknown as Exchange;
        const answer = await endpoints
          .find((endpoint) => endpoint.path === path)!
          .serve(exchange, { name: 'somebody', groups: [] });
        return [answer!.status, answer!.body!.toString()];
      },
    };
  }

  it('of a post-start hook fails until the hook has run', async () => {
    const { hooks, get } = server();
    const path = '/readyz/poststarthook/rbac/bootstrap-roles';
    expect(await get(path)).toEqual([500, 'internal server error: not finished\n']);
    await expect(async () =>
      hooks.run('rbac/bootstrap-roles', () => Promise.reject(new Error('no'))),
    ).rejects.toThrow();
    expect((await get(path))[0]).toBe(500);
    await hooks.run('rbac/bootstrap-roles', () => Promise.resolve());
    expect(await get(path)).toEqual([200, 'ok']);
  });

  it('of a controller passes once the controller has been started', async () => {
    const { hooks, get } = server();
    void hooks.start('start-apiextensions-controllers', () => new Promise(() => {}));
    expect(await get('/livez/poststarthook/start-apiextensions-controllers')).toEqual([200, 'ok']);
    expect((await get('/livez/poststarthook/start-apiextensions-informers'))[0]).toBe(500);
  });

  it('of flow control exists with flow control only', () => {
    const names = (flowControl: boolean): string[] =>
      new PostStartHooks({ flowControl }).checks.map(({ name }) => name);
    const missing = names(true).filter((name) => !names(false).includes(name));
    const ofFlowControl: PostStartHook[] = ['priority-and-fairness-config-consumer', 'priority-and-fairness-filter'];
    expect(missing).toEqual(ofFlowControl.map((name) => `poststarthook/${name}`));
  });

  it('of the log fails when the lines do not reach their destination', async () => {
    const { get } = server();
    expect(await get('/livez/log')).toEqual([200, 'ok']);
    state.blocked = true;
    expect(await get('/livez/log')).toEqual([500, 'internal server error: logging blocked\n']);
  });

  it('of the watch cache fails while it does not follow the store', async () => {
    const { get } = server();
    expect(await get('/readyz/informer-sync')).toEqual([200, 'ok']);
    state.following = false;
    expect((await get('/readyz/informer-sync'))[0]).toBe(500);
  });

  it('of the APIServices passes once each has been available', async () => {
    const { get } = server();
    const missing = 'internal server error: missing APIService: [v1.apps]\n';
    expect(await get('/livez/autoregister-completion')).toEqual([500, missing]);
    state.services.set('v1.apps', {});
    expect((await get('/livez/autoregister-completion'))[0]).toBe(500);
    state.services.set('v1.apps', available);
    expect(await get('/livez/autoregister-completion')).toEqual([200, 'ok']);
    state.services.clear();
    expect(await get('/livez/autoregister-completion')).toEqual([200, 'ok']);
  });

  it('of the serving certificate fails when it has expired', async () => {
    const { get } = server();
    expect(await get('/livez/loopback-serving-certificate')).toEqual([200, 'ok']);
    await ctx.clock.advance(20 * 366 * 86_400_000);
    expect(await get('/livez/loopback-serving-certificate')).toEqual([
      500,
      'internal server error: loopback serving certificate is expired\n',
    ]);
  });

  it('of the shutdown fails once the server ends', async () => {
    const { get } = server();
    expect(await get('/readyz/shutdown')).toEqual([200, 'ok']);
    ctx.stop();
    expect(await get('/readyz/shutdown')).toEqual([500, 'internal server error: process is shutting down\n']);
  });
});
