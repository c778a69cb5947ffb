import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/object.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../testing/index.ts';
import { startHttpsServer, type TestHttpsServer, type TestReply } from '../webhook-client/testing/index.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'convert.example.com';
let server: TestServer;
let webhook: TestHttpsServer;
let refusal = '';

/** v1 has `spec.size`, v2 has `spec.length` in its place. */
function convert(object: KubeObject, apiVersion: string): KubeObject {
  const { size, length, ...spec } = (object['spec'] ?? {}) as Record<string, unknown>;
  const value = size ?? length;
  return {
    ...object,
    apiVersion,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, converted: 'yes' }, generation: 99 },
    spec: { ...spec, [apiVersion.endsWith('v1') ? 'size' : 'length']: value },
  };
}

function answer(body: Record<string, unknown>): TestReply {
  const { uid, desiredAPIVersion, objects } = body['request'] as {
    uid: string;
    desiredAPIVersion: string;
    objects: KubeObject[];
  };
  const result = refusal === '' ? { status: 'Success' } : { status: 'Failure', message: refusal };
  return {
    body: {
      kind: 'ConversionReview',
      apiVersion: body['apiVersion'],
      response: {
        uid,
        result,
        convertedObjects: refusal === '' ? objects.map((object) => convert(object, desiredAPIVersion)) : [],
      },
    },
  };
}

beforeAll(async () => {
  server = await startTestServer();
  webhook = await startHttpsServer(({ body }) => answer(body));
  const version = (name: string, field: string): object => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { [field]: { type: 'integer' } } } },
      },
    },
  });
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [version('v1', 'size'), version('v2', 'length')],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url: `${webhook.url}/convert`, caBundle: webhook.caBundle },
        },
      },
    },
  };
  expect((await server.call('POST', DEFINITIONS, { body })).status).toBe(201);
  for (let i = 0; i < 100 && (await server.call('GET', path('v1'))).status !== 200; i++)
    await new Promise((resolve) => setImmediate(resolve));
});
afterAll(async () => {
  await server.stop();
  await webhook.close();
});

const path = (version: string, name = ''): string =>
  `/apis/${GROUP}/${version}/namespaces/default/things${name && `/${name}`}`;
const create = (version: string, name: string, spec: object): Promise<TestAnswer> =>
  server.call('POST', path(version), {
    body: { apiVersion: `${GROUP}/${version}`, kind: 'Thing', metadata: { name }, spec },
  });

it('converts on writes and reads', async () => {
  const made = await create('v2', 'a', { length: 5 });
  expect([made.status, made.body.apiVersion, made.body['spec']]).toEqual([201, `${GROUP}/v2`, { length: 5 }]);
  const stored = await server.call('GET', path('v1', 'a'));
  expect([
    stored.body.apiVersion,
    stored.body['spec'],
    stored.body.metadata.labels,
    stored.body.metadata.generation,
  ]).toEqual([`${GROUP}/v1`, { size: 5 }, { converted: 'yes' }, 1]);
});

it('converts a list in one request', async () => {
  for (const name of ['l1', 'l2', 'l3']) await create('v1', name, { size: 1 });
  const before = webhook.calls.length;
  const { body } = await server.call('GET', path('v2'));
  expect((body['items'] as { apiVersion: string }[]).every(({ apiVersion }) => apiVersion === `${GROUP}/v2`)).toBe(
    true,
  );
  expect(webhook.calls.length - before).toBe(1);
  await server.call('GET', path('v2'));
  expect(webhook.calls.length - before).toBe(1);
});

it('converts for updates', async () => {
  await create('v1', 'u', { size: 1 });
  const patched = await server.call('PATCH', path('v2', 'u'), {
    body: { spec: { length: 7 } },
    contentType: 'application/merge-patch+json',
  });
  expect([patched.status, patched.body['spec']]).toEqual([200, { length: 7 }]);
  expect((await server.call('GET', path('v1', 'u'))).body['spec']).toEqual({ size: 7 });
});

it('reports the error of the webhook', async () => {
  await create('v1', 'r', { size: 1 });
  refusal = 'not today';
  const { status, body } = await server.call('GET', path('v2', 'r'));
  refusal = '';
  expect([status, body['message']]).toEqual([500, `conversion webhook for ${GROUP}/v1, Kind=Thing failed: not today`]);
});
