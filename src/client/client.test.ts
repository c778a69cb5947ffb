import { describe, expect, it } from 'vitest';
import { createTestContext, TokenBucket } from '../kernel/index.ts';
import { Client } from './client.ts';
import { isAlreadyExists, isConflict, isExpired, isNotFound } from './errors.ts';
import { InformerFactory } from './informer-factory.ts';
import { defineResource, resourcePath } from './resource.ts';
import { FakeApiServer, type Fault } from './testing/fake-api-server.ts';
import { formatQuery, type Transport, type TransportRequest } from './transport.ts';

function setUp() {
  const ctx = createTestContext();
  const server = new FakeApiServer({ clock: ctx.clock, random: ctx.random.fork('server') });
  return { ctx, server, client: new Client({ transport: server, clock: ctx.clock }) };
}

/** A transport that notes the requests and answers all of them the same way. */
function recording(body: unknown = {}) {
  const { clock } = createTestContext();
  const sent: TransportRequest[] = [];
  const transport: Transport = {
    request: (request) => (sent.push(request), Promise.resolve({ status: 200, headers: {}, body })),
    watch: () => Promise.reject(new Error('not watched here')),
    stream: () => Promise.reject(new Error('not streamed here')),
    close: () => Promise.resolve(),
  };
  return { sent, client: new Client({ transport, clock }) };
}

describe('resourcePath', () => {
  const scoped = defineResource({
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    kind: 'Deployment',
    namespaced: true,
  });
  const global = defineResource({ group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false });
  it.each([
    [scoped, {}, '/apis/apps/v1/deployments'],
    [scoped, { namespace: 'x' }, '/apis/apps/v1/namespaces/x/deployments'],
    [
      scoped,
      { namespace: 'x', name: 'a/b', subresource: 'scale' },
      '/apis/apps/v1/namespaces/x/deployments/a%2Fb/scale',
    ],
    [global, { namespace: 'ignored', name: 'n1' }, '/api/v1/nodes/n1'],
  ])('%o with %o', (resource, parts, expected) => {
    expect(resourcePath(resource, parts)).toBe(expected);
  });

  it('formats queries', () => {
    expect(formatQuery({ a: 'x y', b: undefined, c: true, d: ['1', '2'], e: 0 })).toBe('a=x+y&c=true&d=1&d=2&e=0');
    expect(formatQuery(undefined)).toBe('');
  });
});

describe('ResourceClient', () => {
  it('reads and writes objects', async () => {
    const { client } = setUp();
    const maps = client.resource('v1/configmaps');
    const created = await maps.create({ metadata: { namespace: 'x', name: 'a' }, data: { k: '1' } });
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { k: '1' } });
    await expect(maps.create({ metadata: { namespace: 'x', name: 'a' } })).rejects.toSatisfy(isAlreadyExists);
    await maps.update({ ...created, data: { k: '2' } });
    await expect(maps.update({ ...created, data: { k: '3' } })).rejects.toSatisfy(isConflict);
    const patched = await maps.patch({ namespace: 'x', name: 'a' }, { data: { l: '4' } }, { type: 'merge' });
    expect(patched.data).toEqual({ k: '2', l: '4' });
    expect((await maps.list({ namespace: 'x' })).items).toEqual([patched]);
    expect((await maps.list({ namespace: 'y' })).items).toEqual([]);
    await maps.delete({ namespace: 'x', name: 'a' });
    await expect(maps.get({ namespace: 'x', name: 'a' })).rejects.toSatisfy(isNotFound);
  });

  it('asks for the metadata of a list where the server answers with one', async () => {
    const { client, sent } = recording({ items: [] });
    const pods = client.metadata({ group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true });
    await pods.deleteCollection({ namespace: 'x' });
    await pods.delete({ namespace: 'x', name: 'a' });
    expect(sent.map(({ headers }) => /as=(\w+)/.exec(String(headers?.['accept']))?.[1])).toEqual([
      'PartialObjectMetadataList',
      'PartialObjectMetadata',
    ]);
  });

  it('sends the request of each verb', async () => {
    const { client, sent } = recording({ items: [] });
    const deployments = client.resource('apps/v1/deployments');
    const object = { metadata: { namespace: 'x', name: 'a' } };
    const reference = { namespace: 'x', name: 'a' };
    await deployments.updateStatus(object);
    await deployments.apply(object, { fieldManager: 'me', force: true });
    await deployments.delete(reference, { propagationPolicy: 'Foreground', preconditions: { uid: 'u' } });
    await deployments.delete(reference);
    await deployments.deleteCollection({ namespace: 'x', labelSelector: 'a=b' });
    await deployments.subresource(reference, 'scale').update({ spec: { replicas: 2 } }, { fieldValidation: 'Strict' });
    await client
      .metadata({ group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true })
      .list({ limit: 5 });
    const path = '/apis/apps/v1/namespaces/x/deployments';
    expect(sent.map(({ method, path: at, query }) => [method, `${at}?${formatQuery(query)}`])).toEqual([
      ['PUT', `${path}/a/status?`],
      ['PATCH', `${path}/a?fieldManager=me&force=true`],
      ['DELETE', `${path}/a?`],
      ['DELETE', `${path}/a?`],
      ['DELETE', `${path}?labelSelector=a%3Db`],
      ['PUT', `${path}/a/scale?fieldValidation=Strict`],
      ['GET', '/api/v1/pods?limit=5'],
    ]);
    expect(sent[1]?.headers?.['content-type']).toBe('application/apply-patch+yaml');
    expect(sent[2]?.body).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
    });
    expect(sent[3]?.body).toBeUndefined();
    expect(sent[6]?.headers?.['accept']).toContain('as=PartialObjectMetadataList');
  });

  it('throws the error of a watch', async () => {
    const { client, server, ctx } = setUp();
    await client.resource('v1/configmaps').create({ metadata: { namespace: 'x', name: 'a' } });
    server.compact();
    const watching = (async () => {
      for await (const _event of client.resource('v1/configmaps').watch({ resourceVersion: '1', signal: ctx.signal }));
    })();
    await expect(watching).rejects.toSatisfy(isExpired);
  });
});

describe('Client', () => {
  const failing = (faults: (Fault | undefined)[]) => () => faults.shift();

  it('retries a read whose connection broke, but not a write', async () => {
    const { client, server, ctx } = setUp();
    server.fault = failing(['drop', 'drop']);
    await ctx.clock.drive(client.resource('v1/pods').list());
    expect(ctx.clock.monotonic()).toBe(2_000);
    server.fault = failing(['lose']);
    await expect(
      client.resource('v1/configmaps').create({ metadata: { namespace: 'x', name: 'a' } }),
    ).rejects.toMatchObject({ code: 'connection-lost' });
    server.fault = failing(['unavailable']);
    await expect(client.resource('v1/pods').list()).rejects.toMatchObject({ code: 503 });
  });

  it('times out on a server that never answers', async () => {
    const { client, server, ctx } = setUp();
    server.fault = () => 'stall';
    await expect(ctx.clock.drive(client.resource('v1/pods').list())).rejects.toMatchObject({ code: 'timeout' });
    expect(ctx.clock.monotonic()).toBe(65_000);
    expect(ctx.clock.pendingTimers).toBe(0);
  });

  it('respects its rate limit', async () => {
    const { server, ctx } = setUp();
    const client = new Client({
      transport: server,
      clock: ctx.clock,
      limiter: new TokenBucket(ctx.clock, { qps: 10, burst: 5 }),
    });
    await ctx.clock.drive(Promise.all(Array.from({ length: 25 }, () => client.resource('v1/pods').list())));
    expect(ctx.clock.monotonic()).toBe(2_000);
  });
});

describe('InformerFactory', () => {
  it('shares informers, starts late ones, and ends with its context', async () => {
    const { ctx, client, server } = setUp();
    const factory = new InformerFactory(ctx, { client });
    const pods = factory.informer('v1/pods');
    expect(factory.informer('v1/pods', {}, { node: (pod) => [pod.spec?.nodeName ?? ''] })).toBe(pods);
    expect(factory.informer('v1/pods', { namespace: 'x' })).not.toBe(pods);
    const running = factory.run();
    await ctx.clock.drive(factory.waitForSync());
    await client
      .resource('v1/pods')
      .create({ metadata: { namespace: 'x', name: 'a' }, spec: { nodeName: 'n1', containers: [] } });
    await ctx.clock.settle();
    expect(pods.indexer.keysByIndex('node', 'n1')).toEqual(['x/a']);
    const nodes = factory.informer('v1/nodes', { metadataOnly: true });
    await ctx.clock.drive(factory.waitForSync());
    expect(nodes.hasSynced).toBe(true);
    ctx.stop();
    await running;
    expect(server.watchers).toBe(0);
    expect(ctx.clock.pendingTimers).toBe(0);
  });
});
