/** A server with a custom resource of which little is known: `spec` may hold anything. */
import { startTestServer, type TestServer } from '../../src/apiserver/testing/index.ts';

export const MAPS = '/api/v1/namespaces/default/configmaps';
export const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
export const THINGS = '/apis/example.com/v1/namespaces/default/things';
export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';

export async function startThingsServer(): Promise<TestServer> {
  const server = await startTestServer();
  const open = { 'x-kubernetes-preserve-unknown-fields': true };
  const spec = { type: 'object', ...open, properties: { n: { type: 'number' }, i: { type: 'integer' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec, typed: open } };
  await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
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
            schema: { openAPIV3Schema },
            additionalPrinterColumns: [{ name: 'X', type: 'string', jsonPath: '.spec.x' }],
          },
        ],
      },
    },
  });
  for (let i = 0; i < 200; i++) {
    if ((await server.call('GET', THINGS)).status === 200) return server;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the custom resource is not served');
}
