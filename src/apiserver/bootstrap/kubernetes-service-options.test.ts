/** What flags change of the Service kubernetes. */
import { afterEach, expect, it } from 'vitest';
import { startTestServer, type TestServer, type TestServerOptions } from '../testing/index.ts';

let server: TestServer | undefined;
afterEach(() => server?.stop());

async function statusesWith(options: TestServerOptions): Promise<unknown[]> {
  server = await startTestServer(options);
  const { body } = await server.call('GET', '/api/v1/namespaces/default/services/kubernetes');
  const { type, ports } = body['spec'] as { type: string; ports: { nodePort?: number }[] };
  const endpoints = await Promise.all(
    ['/api/v1/namespaces/default/endpoints', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'].map(
      async (collection) => (await server!.call('GET', `${collection}/kubernetes`)).status,
    ),
  );
  return [type, ports[0]?.nodePort, ...endpoints];
}

it.each<[string, TestServerOptions, unknown[]]>([
  ['by default', {}, ['ClusterIP', undefined, 200, 200]],
  ['without a reconciler of endpoints', { endpointReconciler: 'none' }, ['ClusterIP', undefined, 404, 404]],
  ['with a node port', { kubernetesServiceNodePort: 30_443 }, ['NodePort', 30_443, 200, 200]],
])('the Service %s', async (_, options, expected) => {
  expect(await statusesWith(options)).toEqual(expected);
});
