import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kernel/index.ts';
import { failure } from '../machinery/errors/status.ts';
import { Client } from './client.ts';
import { discover, findKind, RepeatedDiscovery } from './discovery.ts';
import type { Transport } from './transport.ts';

/** A server that answers each path with a fixed body, or 503. */
function serving(answers: Record<string, unknown>) {
  const asked: string[] = [];
  const transport: Transport = {
    request: ({ path }) => {
      asked.push(path);
      const body = answers[path];
      return Promise.resolve(
        body === undefined
          ? { status: 503, headers: {}, body: failure(503, 'ServiceUnavailable', 'away').status }
          : { status: 200, headers: {}, body },
      );
    },
    watch: () => Promise.reject(new Error('not watched')),
    stream: () => Promise.reject(new Error('not streamed')),
    close: () => Promise.resolve(),
  };
  return { asked, client: new Client({ transport, clock: new VirtualClock() }) };
}

const pods = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
  singular: 'pod',
  verbs: ['get', 'list'],
  shortNames: ['po'],
  categories: ['all'],
  subresources: ['log'],
  preferred: true,
};
const scale = (version: string, preferred: boolean) => ({
  ...pods,
  group: 'autoscaling',
  version,
  plural: 'scalers',
  kind: 'Scaler',
  namespaced: false,
  singular: 'scaler',
  shortNames: [],
  categories: [],
  subresources: [],
  preferred,
});

const aggregated = {
  '/api': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: {},
        versions: [
          {
            version: 'v1',
            resources: [
              {
                resource: 'pods',
                responseKind: { kind: 'Pod' },
                scope: 'Namespaced',
                singularResource: 'pod',
                verbs: ['get', 'list'],
                shortNames: ['po'],
                categories: ['all'],
                subresources: [{ subresource: 'log' }],
              },
            ],
          },
        ],
      },
    ],
  },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'autoscaling' },
        versions: ['v2', 'v1'].map((version) => ({
          version,
          resources: [
            {
              resource: 'scalers',
              responseKind: { kind: 'Scaler' },
              scope: 'Cluster',
              singularResource: 'scaler',
              verbs: ['get', 'list'],
            },
          ],
        })),
      },
      { metadata: { name: 'away.io' }, versions: [{ version: 'v1', freshness: 'Stale' }] },
    ],
  },
};

const oneByOne = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/api/v1': {
    kind: 'APIResourceList',
    resources: [
      {
        name: 'pods',
        kind: 'Pod',
        namespaced: true,
        singularName: 'pod',
        verbs: ['get', 'list'],
        shortNames: ['po'],
        categories: ['all'],
      },
      { name: 'pods/log', kind: 'Pod', namespaced: true, singularName: '', verbs: ['get'] },
    ],
  },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      { name: 'autoscaling', versions: [{ version: 'v2' }, { version: 'v1' }], preferredVersion: { version: 'v2' } },
      { name: 'away.io', versions: [{ version: 'v1' }] },
    ],
  },
  '/apis/autoscaling/v1': {
    kind: 'APIResourceList',
    resources: [{ name: 'scalers', kind: 'Scaler', namespaced: false, singularName: 'scaler', verbs: ['get', 'list'] }],
  },
  '/apis/autoscaling/v2': {
    kind: 'APIResourceList',
    resources: [{ name: 'scalers', kind: 'Scaler', namespaced: false, singularName: 'scaler', verbs: ['get', 'list'] }],
  },
};

describe.each([
  ['aggregated', aggregated, 2],
  ['one version at a time', oneByOne, 6],
])('discovery, %s', (_name, answers, requests) => {
  it('returns the same for both forms', async () => {
    const { client, asked } = serving(answers);
    const discovery = await discover(client);
    expect(discovery.resources).toEqual([pods, scale('v2', true), scale('v1', false)]);
    expect(discovery.unavailable).toEqual(['away.io/v1']);
    expect(asked).toHaveLength(requests);
    expect(findKind(discovery, { group: 'autoscaling', kind: 'Scaler' })?.version).toBe('v2');
    expect(findKind(discovery, { group: 'autoscaling', kind: 'Scaler', version: 'v1' })?.version).toBe('v1');
    expect(findKind(discovery, { group: '', kind: 'Nothing' })).toBeUndefined();
  });
});

describe('repeated discovery', () => {
  it('asks for what it has by its ETag, and returns the same object while nothing changes', async () => {
    let etag = '"one"';
    const asked: (string | undefined)[] = [];
    const transport: Transport = {
      request: ({ path, headers }) => {
        const known = headers?.['if-none-match'] as string | undefined;
        asked.push(known);
        if (known === etag) return Promise.resolve({ status: 304, headers: { etag }, body: undefined });
        const items = path === '/api' ? [{ metadata: {}, versions: [{ version: 'v1', resources: [] }] }] : [];
        return Promise.resolve({ status: 200, headers: { etag }, body: { kind: 'APIGroupDiscoveryList', items } });
      },
      watch: () => Promise.reject(new Error('not watched')),
      stream: () => Promise.reject(new Error('not streamed')),
      close: () => Promise.resolve(),
    };
    const discovery = new RepeatedDiscovery(new Client({ transport, clock: new VirtualClock() }));
    const first = await discovery.read();
    expect(await discovery.read()).toBe(first);
    etag = '"two"';
    expect(await discovery.read()).not.toBe(first);
    expect(asked).toEqual([undefined, undefined, '"one"', '"one"', '"one"', '"one"']);
  });
});
