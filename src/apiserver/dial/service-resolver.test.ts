import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
const NS = '/api/v1/namespaces/default';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

async function made(path: string, body: unknown): Promise<void> {
  const answer = await server.call('POST', path, { body });
  expect(answer.status, answer.text).toBe(201);
}

async function pod(namespace: string, name: string, address: string, nodeName = 'node-1'): Promise<void> {
  await made(`/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name },
    spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
  });
  const status = { phase: 'Running', podIP: address, podIPs: [{ ip: address }] };
  expect(
    (
      await server.call('PATCH', `/api/v1/namespaces/${namespace}/pods/${name}/status`, {
        body: { status },
        contentType: 'application/merge-patch+json',
      })
    ).status,
  ).toBe(200);
}

beforeAll(async () => {
  server = await startTestServer({ dial: { isSimulatedNode: (name) => name === 'sim-0' } });
  await made('/api/v1/namespaces', { metadata: { name: 'other' } });
  await pod('default', 'web', '192.0.2.30');
  await pod('other', 'web', '192.0.2.31');
  await pod('default', 'simulated', '10.244.0.5', 'sim-0');
  await made(`${NS}/services`, {
    metadata: { name: 'chosen' },
    spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
  });
  await made(`${NS}/services`, { metadata: { name: 'by-hand' }, spec: { ports: [{ port: 80 }] } });
  await made(`${NS}/services`, {
    metadata: { name: 'elsewhere' },
    spec: { type: 'ExternalName', externalName: 'example.com' },
  });
});
afterAll(() => server.stop());

const ref = (namespace: string, name: string, kind = 'Pod'): object => ({ targetRef: { kind, namespace, name } });

/**
 * Where each caller is led by a slice of this one endpoint: services/proxy, then webhooks of a Service with and without
 * a selector.
 */
async function resolved(endpoint: object, addressType = 'IPv4'): Promise<string[]> {
  const { registry, services } = server.pipeline.chain.backend;
  const cache = registry.require('discovery.k8s.io', 'v1', 'endpointslices');
  const outcome = (resolve: () => { host: string; port: number }): string => {
    try {
      const { host, port } = resolve();
      return `${host}:${port}`;
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (const name of ['chosen', 'by-hand']) {
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': name } },
      addressType,
      ports: [{ name: '', port: 8080 }],
      endpoints: [endpoint],
    };
    // Past validation: what was stored before a rule came must not be dialled either.
    await registry.objects.create(
      cache,
      { namespace: 'default', name },
      slice as unknown as EndpointSlice & KubeObject,
      false,
    );
  }
  const service = registry.lookup('', 'v1', 'services', 'default', 'chosen') as Service & KubeObject;
  const found = [
    outcome(() => services.resolvePods({ namespace: 'default', name: 'chosen', portName: '' }, service)),
    outcome(() => services.resolve('default', 'chosen', 80)),
    outcome(() => services.resolve('default', 'by-hand', 80)),
  ];
  for (const name of ['chosen', 'by-hand']) await server.call('DELETE', `${SLICES}/${name}`);
  return found;
}

describe('an endpoint', () => {
  const NONE = 'no endpoints available for service "chosen"';
  const NONE_BY_HAND = 'no endpoints available for service "by-hand"';
  const SIMULATED = 'nothing listens on any port in pod default/simulated: its node is simulated';

  it.each([
    [
      'that is a Pod with that address',
      { addresses: ['192.0.2.30'], ...ref('default', 'web') },
      'IPv4',
      ['192.0.2.30:8080', '192.0.2.30:8080', '192.0.2.30:8080'],
    ],
    [
      'that is not ready',
      { addresses: ['192.0.2.30'], conditions: { ready: false }, ...ref('default', 'web') },
      'IPv4',
      [NONE, NONE, NONE_BY_HAND],
    ],
    ['that names no Pod', { addresses: ['192.0.2.99'] }, 'IPv4', [NONE, NONE, '192.0.2.99:8080']],
    [
      'that names a Pod with another address',
      { addresses: ['192.0.2.99'], ...ref('default', 'web') },
      'IPv4',
      [NONE, NONE, '192.0.2.99:8080'],
    ],
    [
      'that names a Pod of another namespace',
      { addresses: ['192.0.2.31'], ...ref('other', 'web') },
      'IPv4',
      [NONE, NONE, '192.0.2.31:8080'],
    ],
    [
      'that names a Pod that is not there',
      { addresses: ['192.0.2.30'], ...ref('default', 'ghost') },
      'IPv4',
      [NONE, NONE, '192.0.2.30:8080'],
    ],
    [
      'that names something else',
      { addresses: ['192.0.2.30'], ...ref('default', 'web', 'Node') },
      'IPv4',
      [NONE, NONE, '192.0.2.30:8080'],
    ],
    ['that is a name', { addresses: ['example.com'] }, 'FQDN', [NONE, NONE, NONE_BY_HAND]],
    [
      'that is a name, in a slice of addresses',
      { addresses: ['example.com'] },
      'IPv4',
      [NONE, NONE, 'address not allowed'],
    ],
    ['on loopback', { addresses: ['127.0.0.1'] }, 'IPv4', [NONE, NONE, 'address not allowed']],
    ['with no address', { addresses: [] }, 'IPv4', [NONE, NONE, NONE_BY_HAND]],
    [
      'that is a simulated Pod',
      { addresses: ['10.244.0.5'], ...ref('default', 'simulated') },
      'IPv4',
      [SIMULATED, SIMULATED, SIMULATED],
    ],
  ])('%s', async (_, endpoint, addressType, expected) => {
    expect(await resolved(endpoint, addressType)).toEqual(expected);
  });
});

it.each([
  ['ghost', 80, 'service "ghost" not found'],
  ['chosen', 81, 'no service port 81 found for service "chosen"'],
])('a Service %s:%i leads nowhere: %s', (name, port, message) => {
  expect(() => server.pipeline.chain.backend.services.resolve('default', name, port)).toThrow(message);
});

it('an ExternalName Service leads to its name, at the port that was asked for', () => {
  const { host, port, permit } = server.pipeline.chain.backend.services.resolve('default', 'elsewhere', 444);
  expect([host, port]).toEqual(['example.com', 444]);
  expect(permit.checks).toEqual({ lookup: expect.any(Function), checkPeer: expect.any(Function) });
});

it('no ExternalName Service leads anywhere with --enable-aggregator-routing', async () => {
  const routing = await startTestServer({ enableAggregatorRouting: true });
  try {
    const spec = { type: 'ExternalName', externalName: 'example.com' };
    await routing.call('POST', `${NS}/services`, { body: { metadata: { name: 'elsewhere' }, spec } });
    expect(() => routing.pipeline.chain.backend.services.resolve('default', 'elsewhere', 80)).toThrow(
      'unsupported service type "ExternalName"',
    );
  } finally {
    await routing.stop();
  }
});

it('the Service of the API server is never dialled', () => {
  expect(() => server.pipeline.chain.backend.services.resolve('default', 'kubernetes', 443)).toThrow(
    'address not allowed',
  );
});
