import { afterEach, expect, it } from 'vitest';
import { createMemoryStore } from '../../etcd/index.ts';
import { createTestContext } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

let servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers) await server.stop();
  servers = [];
});

const DEFINITION = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const PATH = '/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com';

it('another server on the same store keeps the APIService of a definition that it does not serve yet', async () => {
  const store = createMemoryStore({ clock: createTestContext().clock });
  const [first] = (servers = [await startTestServer({ store })]) as [TestServer];
  await first.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: DEFINITION });
  await until('there is an APIService', async () => (await first.call('GET', PATH)).status === 200);
  const { uid } = (await first.call('GET', PATH)).body.metadata;
  for (let i = 0; i < 3; i++) {
    const server = await startTestServer({ store });
    servers.push(server);
    expect((await server.call('GET', '/apis/example.com/v1/widgets')).status).toBe(200);
    expect((await server.call('GET', PATH)).body.metadata.uid).toBe(uid);
  }
});
