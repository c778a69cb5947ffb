/** Definitions as well-known projects have them are taken, and their rules applied. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { PROJECT_SHAPES } from './testing/project-shapes.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.stop());

it.each(PROJECT_SHAPES.map((shape, i) => ({ ...shape, group: `shape${i}.example.com` })))(
  '$project',
  async ({ group, spec, good, bad }) => {
    const openAPIV3Schema = { type: 'object', properties: { spec } };
    const defined = await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'things', kind: 'Thing' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
        },
      },
    });
    expect(defined.body['message']).toBeUndefined();
    const things = `/apis/${group}/v1/namespaces/default/things`;
    await expect.poll(async () => (await server.call('GET', things)).status).toBe(200);
    const create = (name: string, content: object): ReturnType<typeof server.call> =>
      server.call('POST', things, {
        body: { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec: content },
      });
    const created = await create('good', good);
    expect(created.body['message']).toBeUndefined();
    expect((await create('bad', bad)).status).toBe(422);
  },
);
