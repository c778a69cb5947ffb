import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PodSpec, ResourceQuota, ResourceQuotaSpec } from '../../../api/generated/core-v1.ts';
import { startTestServer, type TestServer } from '../../testing/index.ts';
import { container, createObject, createNamespace, pod, podsPath, rejection } from '../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    admission: {
      resourceQuota: {
        limitedResources: [
          {
            resource: 'pods',
            matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }],
          },
        ],
      },
    },
  });
});
afterAll(() => server.stop());

let count = 0;

/** A namespace with a quota, whose status is filled in as the controller would have done. */
async function namespaceWith(spec: ResourceQuotaSpec, used: Record<string, string> = {}): Promise<string> {
  const namespace = await createNamespace(server, `quota-${++count}`);
  await addQuota(namespace, 'q', spec, used);
  return namespace;
}

async function addQuota(
  namespace: string,
  name: string,
  spec: ResourceQuotaSpec,
  used: Record<string, string> = {},
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  const quota = await createObject(server, path, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec });
  const none = Object.fromEntries(Object.keys(spec.hard ?? {}).map((key) => [key, '0']));
  const answer = await server.call('PUT', `${path}/${name}/status`, {
    body: { ...quota, status: { hard: spec.hard, used: { ...none, ...used } } },
  });
  expect(answer.status).toBe(200);
}

async function usedIn(namespace: string, name = 'q'): Promise<Record<string, string> | undefined> {
  return (
    (await server.call('GET', `/api/v1/namespaces/${namespace}/resourcequotas/${name}`))
      .body as unknown as ResourceQuota
  ).status?.used;
}

const asking = (requests: Record<string, string>, limits?: Record<string, string>): Partial<PodSpec> => ({
  containers: [container({ resources: { requests, ...(limits ? { limits } : {}) } })],
});

describe('200 creates at once', () => {
  it('use exactly what the quota allows, and update its status', async () => {
    const namespace = await namespaceWith({ hard: { pods: '50', 'requests.cpu': '5' } });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        server.call('POST', podsPath(namespace), { body: pod(`p${i}`, asking({ cpu: '10m' })) }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(150);
    expect(refused[0]!.body['message']).toMatch(
      /^pods "p\d+" is forbidden: exceeded quota: q, requested: pods=1, used: pods=50, limited: pods=50$/,
    );
    expect(await usedIn(namespace)).toEqual({ pods: '50', 'requests.cpu': '500m' });
    expect(((await server.call('GET', podsPath(namespace))).body['items'] as unknown[]).length).toBe(50);
  });

  it('handle concurrent updates of the quota', async () => {
    const namespace = await namespaceWith({ hard: { configmaps: '20' } });
    const path = `/api/v1/namespaces/${namespace}`;
    const touch = (i: number): ReturnType<TestServer['call']> =>
      server.call('PATCH', `${path}/resourcequotas/q`, {
        body: { metadata: { labels: { touched: String(i) } } },
        contentType: 'application/merge-patch+json',
      });
    const create = (i: number): ReturnType<TestServer['call']> =>
      server.call('POST', `${path}/configmaps`, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${i}` } },
      });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? touch(i) : create(i))));
    const made201 = answers.filter(({ status }) => status === 201).length;
    expect(made201).toBe(20);
    expect(await usedIn(namespace)).toEqual({ configmaps: '20' });
  });
});

describe('requests that do not fit', () => {
  it.each<[string, ResourceQuotaSpec, Record<string, string>, Partial<PodSpec>, string | undefined]>([
    [
      'too many pods',
      { hard: { pods: '2' } },
      { pods: '2' },
      {},
      'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    ],
    [
      'what must be said',
      { hard: { 'limits.cpu': '2', 'requests.memory': '1Gi' } },
      {},
      asking({ cpu: '1' }),
      'failed quota: q: must specify limits.cpu for: c; requests.memory for: c',
    ],
    [
      'several at once',
      { hard: { 'requests.cpu': '1', 'requests.memory': '1Gi' } },
      { 'requests.cpu': '600m', 'requests.memory': '512Mi' },
      asking({ cpu: '500m', memory: '600Mi' }),
      'exceeded quota: q, requested: requests.cpu=500m,requests.memory=600Mi, used: requests.cpu=600m,requests.memory=512Mi, limited: requests.cpu=1,requests.memory=1Gi',
    ],
    [
      'devices',
      { hard: { 'requests.example.com/gpu': '1' } },
      { 'requests.example.com/gpu': '1' },
      asking({ 'example.com/gpu': '1' }, { 'example.com/gpu': '1' }),
      'exceeded quota: q, requested: requests.example.com/gpu=1, used: requests.example.com/gpu=1, limited: requests.example.com/gpu=1',
    ],
    ['outside the scope', { hard: { pods: '0' }, scopes: ['Terminating'] }, {}, {}, undefined],
    [
      'inside the scope',
      { hard: { pods: '0' }, scopes: ['Terminating'] },
      {},
      { activeDeadlineSeconds: 5 },
      'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    ],
    [
      'best effort',
      { hard: { pods: '0' }, scopes: ['BestEffort'] },
      {},
      {},
      'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    ],
    ['not best effort', { hard: { pods: '0' }, scopes: ['BestEffort'] }, {}, asking({ cpu: '1' }), undefined],
    [
      'a priority',
      {
        hard: { pods: '0' },
        scopeSelector: {
          matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-cluster-critical'] }],
        },
      },
      {},
      { priorityClassName: 'system-cluster-critical' },
      'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    ],
  ])('%s', async (_name, spec, used, podSpec, message) => {
    expect(await rejection(server, podsPath(await namespaceWith(spec, used)), pod('p', podSpec))).toBe(
      message && `pods "p" is forbidden: ${message}`,
    );
  });

  it('counts objects of any kind', async () => {
    const namespace = await namespaceWith({ hard: { 'count/leases.coordination.k8s.io': '0', secrets: '0' } });
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } };
    expect(await rejection(server, `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, lease)).toContain(
      'requested: count/leases.coordination.k8s.io=1',
    );
    expect(
      await rejection(server, `/api/v1/namespaces/${namespace}/secrets`, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
      }),
    ).toContain('requested: secrets=1');
  });

  it('refuses pods until the quota has a status', async () => {
    const namespace = await namespaceWith({ hard: { pods: '5' } });
    const path = `/api/v1/namespaces/${namespace}/resourcequotas/q`;
    const quota = (await server.call('GET', path)).body;
    await server.call('PUT', `${path}/status`, { body: { ...quota, status: { hard: { pods: '5' } } } });
    expect(await rejection(server, podsPath(namespace), pod('p'))).toBe(
      'pods "p" is forbidden: status unknown for quota: q, resources: pods',
    );
  });

  it('requires a quota where the configuration does', async () => {
    const namespace = await createNamespace(server, 'limited');
    const answer = await server.call('POST', podsPath(namespace), {
      body: pod('p', { priorityClassName: 'system-node-critical' }),
    });
    expect(answer.body['message']).toBe(
      'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical]}]',
    );
  });
});

describe('updates', () => {
  it('charge only the increase', async () => {
    const namespace = await namespaceWith({ hard: { 'requests.cpu': '1' } });
    await createObject(server, podsPath(namespace), pod('p', asking({ cpu: '500m' })));
    const resize = (cpu: string): ReturnType<TestServer['call']> =>
      server.call('PATCH', `${podsPath(namespace)}/p/resize`, {
        body: { spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] } },
        contentType: 'application/strategic-merge-patch+json',
      });
    expect((await resize('2')).body['message']).toBe(
      'pods "p" is forbidden: exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=500m, limited: requests.cpu=1',
    );
    expect((await resize('900m')).status).toBe(200);
    expect(await usedIn(namespace)).toEqual({ 'requests.cpu': '900m' });
  });

  it('that bring a pod into a scope charge it whole', async () => {
    const namespace = await namespaceWith({ hard: { pods: '1' }, scopes: ['Terminating'] });
    await createObject(server, podsPath(namespace), pod('p'));
    expect(await usedIn(namespace)).toEqual({ pods: '0' });
    await server.call('PATCH', `${podsPath(namespace)}/p`, {
      body: { spec: { activeDeadlineSeconds: 100 } },
      contentType: 'application/merge-patch+json',
    });
    expect(await usedIn(namespace)).toEqual({ pods: '1' });
  });
});

it('charges every quota that applies, or none when one refuses', async () => {
  const namespace = await namespaceWith({ hard: { pods: '5' } });
  await addQuota(namespace, 'small', { hard: { pods: '1' } });
  await createObject(server, podsPath(namespace), pod('a'));
  expect((await server.call('POST', podsPath(namespace), { body: pod('b') })).status).toBe(403);
  expect([await usedIn(namespace), await usedIn(namespace, 'small')]).toEqual([{ pods: '1' }, { pods: '1' }]);
});

it('charges nothing in a dry run', async () => {
  const namespace = await namespaceWith({ hard: { pods: '1' } });
  expect((await server.call('POST', `${podsPath(namespace)}?dryRun=All`, { body: pod('p') })).status).toBe(201);
  expect(await usedIn(namespace)).toEqual({ pods: '0' });
});
