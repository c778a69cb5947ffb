import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStore, type Store } from '../../etcd/index.ts';
import { createTestContext } from '../../kernel/index.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

let servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers) await server.stop();
  servers = [];
});

async function start(store: Store, storageMediaType?: 'application/vnd.kubernetes.protobuf'): Promise<TestServer> {
  const server = await startTestServer({ store, ...(storageMediaType ? { storageMediaType } : {}) });
  servers.push(server);
  return server;
}

const valueOf = async (store: Store, key: string): Promise<Buffer> =>
  Buffer.from((await store.range({ key })).kvs[0]!.value);

const CONFIG_MAP = { metadata: { name: 'a' }, data: { k: '<v>' } };
const DEFINITION = {
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('stored as protobuf', () => {
  it('are built-in kinds, but for CustomResourceDefinitions and APIServices', async () => {
    const store = createMemoryStore({ clock: createTestContext().clock });
    const { call } = await start(store, 'application/vnd.kubernetes.protobuf');
    expect((await call('POST', '/api/v1/namespaces/default/configmaps', { body: CONFIG_MAP })).status).toBe(201);
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: DEFINITION });
    const stored = await valueOf(store, '/registry/configmaps/default/a');
    expect(stored.subarray(0, 4).toString('latin1')).toBe('k8s\0');
    expect(stored.includes('<v>')).toBe(true);
    for (const key of [
      '/registry/apiextensions.k8s.io/customresourcedefinitions/things.example.com',
      '/registry/apiregistration.k8s.io/apiservices/v1.',
    ])
      expect(JSON.parse((await valueOf(store, key)).toString())).toHaveProperty('kind');
  });

  it('are read and changed by a server that stores JSON, and the other way round', async () => {
    const store = createMemoryStore({ clock: createTestContext().clock });
    const first = await start(store, 'application/vnd.kubernetes.protobuf');
    const path = '/api/v1/namespaces/default/configmaps/a';
    await first.call('POST', '/api/v1/namespaces/default/configmaps', { body: CONFIG_MAP });
    const before = await first.call('GET', path);
    const second = await start(store);
    expect((await second.call('GET', path)).body).toEqual(before.body);
    const patch = { contentType: 'application/merge-patch+json', body: { data: { k: 'w' } } };
    expect((await second.call('PATCH', path, patch)).status).toBe(200);
    expect(JSON.parse((await valueOf(store, '/registry/configmaps/default/a')).toString())).toMatchObject({
      data: { k: 'w' },
    });
    const third = await start(store, 'application/vnd.kubernetes.protobuf');
    expect((await third.call('GET', path)).body['data']).toEqual({ k: 'w' });
  });
});
