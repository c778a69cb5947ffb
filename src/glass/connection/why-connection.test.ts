import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../../index.ts';
import { until } from '../../kernel/testing/index.ts';
import type { ConnectionAnswer } from '../answers.ts';
import { connectionText } from './connection-answer.ts';
import { parseDestination, parseSource } from './destination.ts';
import { resolverOf, serviceOfName, triedNames } from './resolve-name.ts';
import { whyConnection } from './why-connection.ts';

let cluster: Cluster;

const pod = (name: string, labels: Record<string, string>, more: object = {}, namespace = 'default'): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels },
  spec: { containers: [{ name: 'main', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] }], ...more },
});

const service = (name: string, selector: Record<string, string>, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { selector, ports: [{ port: 80, targetPort: 'http' }], ...more },
});

const policy = (name: string, spec: object, namespace = 'default'): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, namespace },
  spec,
});

beforeAll(async () => {
  cluster = await Cluster.start({ nodes: 2 });
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace: 'kube-system' },
      spec: { clusterIP: '10.96.0.10', ports: [{ name: 'dns', protocol: 'UDP', port: 53 }] },
    },
    pod('client', { app: 'client' }, { nodeName: 'sim-0' }),
    pod('web', { app: 'web' }, { nodeName: 'sim-1' }),
    pod('stranger', { app: 'stranger' }, {}, 'other'),
    service('web', { app: 'web' }),
    service('empty', { app: 'nobody' }),
    service('headless', { app: 'web' }, { clusterIP: 'None' }),
    service('local', { app: 'web' }, { internalTrafficPolicy: 'Local' }),
    service('sticky', { app: 'web' }, { sessionAffinity: 'ClientIP' }),
    { ...service('alias', {}), spec: { type: 'ExternalName', externalName: 'example.com' } },
  ];
  await cluster.apply(objects as never);
  for (const [name, namespace] of [
    ['client', 'default'],
    ['web', 'default'],
    ['stranger', 'other'],
  ] as const)
    await cluster.waitFor(`pod/${name}`, 'Ready', { namespace });
  await until('endpoints', async () => {
    const { items } = await cluster.client
      .resource('discovery.k8s.io/v1/endpointslices')
      .list({ namespace: 'default' });
    return items.filter(({ endpoints }) => endpoints?.some(({ conditions }) => conditions?.ready)).length >= 4;
  });
});
afterAll(() => cluster.stop());

const ask = (to: string, from = 'pod/client', more = {}): Promise<ConnectionAnswer> =>
  whyConnection({ client: cluster.client, from, to, now: () => Date.now(), ...more });

const failing = ({ steps }: ConnectionAnswer): string[] =>
  steps.filter(({ passes }) => passes === false).map(({ step }) => step);

describe('a connection that works', () => {
  it.each([
    [
      'service/web:80',
      ['Source', 'DNS', 'Service', 'Rules', 'Endpoint', 'Egress policy', 'Ingress policy', 'Container'],
    ],
    ['web:80', ['Source', 'DNS', 'Service', 'Rules', 'Endpoint', 'Egress policy', 'Ingress policy', 'Container']],
    [
      'web.default.svc.cluster.local:80',
      ['Source', 'DNS', 'Service', 'Rules', 'Endpoint', 'Egress policy', 'Ingress policy', 'Container'],
    ],
    ['service/headless:80', ['Source', 'DNS', 'Service', 'Endpoint', 'Egress policy', 'Ingress policy', 'Container']],
    ['pod/web:8080', ['Source', 'Endpoint', 'Egress policy', 'Ingress policy', 'Container']],
    ['pod/web:http', ['Source', 'Endpoint', 'Egress policy', 'Ingress policy', 'Container']],
  ])('%s passes every step', async (to, steps) => {
    const answer = await ask(to);
    expect(answer.works, connectionText(answer)).toBe(true);
    expect(answer.steps.map(({ step }) => step)).toEqual(steps);
    expect(answer.unknown.join()).toContain('only the node knows');
  });

  it('is told by the addresses of Services and pods', async () => {
    const { spec } = await cluster.client.resource('v1/services').get({ namespace: 'default', name: 'web' });
    const { status } = await cluster.client.resource('v1/pods').get({ namespace: 'default', name: 'web' });
    expect((await ask(`${spec!.clusterIP}:80`)).works).toBe(true);
    expect((await ask(`${status!.podIP}:8080`)).works).toBe(true);
    expect((await ask('192.0.2.7:80')).works).toBeUndefined();
  });

  it('names the search path, the rules and session affinity', async () => {
    const text = connectionText(await ask('service/sticky:80'));
    expect(text).toContain('search path: default.svc.cluster.local svc.cluster.local cluster.local, ndots 5');
    expect(text).toMatch(/node sim-0 sends 10\.96\.[\d.]+:80 to 10\.[\d.]+:8080/);
    expect(text).toContain('session affinity: the same endpoint for 10800 s');
  });
});

describe('a connection that does not work', () => {
  it.each([
    ['a port that the Service does not have', 'service/web:81', 'Service', 'has no TCP port 81'],
    ['a Service that does not exist', 'service/gone:80', 'Service', 'there is no Service gone'],
    ['a name that no Service has', 'gone:80', 'DNS', 'no Service has a name that is tried for gone'],
    ['no endpoints', 'service/empty:80', 'Rules', 'no endpoint that takes traffic'],
    ['endpoints on other nodes only', 'service/local:80', 'Rules', 'no endpoint is on node sim-0'],
    ['a pod that does not exist', 'pod/gone:80', 'Destination', 'there is no pod gone'],
  ])('%s', async (_, to, step, message) => {
    const answer = await ask(to);
    expect(failing(answer), connectionText(answer)).toEqual([step]);
    expect(connectionText(answer)).toContain(message);
    expect(answer).toMatchObject({ works: false, cause: expect.stringContaining(message) as string });
  });

  it('explains the Service without endpoints', async () => {
    expect(connectionText(await ask('service/empty:80'))).toContain('NothingSelected');
  });

  it('says what it cannot know of names outside of the cluster', async () => {
    const answer = await ask('service/alias:80');
    expect(answer.works).toBeUndefined();
    expect(answer.unknown.join()).toContain('whether example.com answers');
  });

  it.each([
    [
      'ingress, by a policy without rules',
      policy('deny', { podSelector: { matchLabels: { app: 'web' } } }),
      'Ingress policy',
      'default/deny isolates default/web',
    ],
    [
      'ingress, by a policy for others',
      policy('deny', { podSelector: {}, ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'x' } } }] }] }),
      'Ingress policy',
      'from pods with the labels app=client in namespace default',
    ],
    [
      'ingress, by port',
      policy('deny', { podSelector: { matchLabels: { app: 'web' } }, ingress: [{ ports: [{ port: 9090 }] }] }),
      'Ingress policy',
      'no rule allows TCP port 8080',
    ],
    [
      'egress, and DNS with it',
      policy('deny', {
        podSelector: { matchLabels: { app: 'client' } },
        policyTypes: ['Egress'],
        egress: [{ to: [{ podSelector: {} }] }],
      }),
      'DNS',
      'do not allow it to ask cluster DNS',
    ],
    [
      'egress of the client',
      policy('deny', {
        podSelector: { matchLabels: { app: 'client' } },
        policyTypes: ['Egress'],
        egress: [{ ports: [{ protocol: 'UDP', port: 53 }] }],
      }),
      'Egress policy',
      'default/deny isolates default/client',
    ],
  ])('%s', async (_, denying, step, message) => {
    await cluster.apply(denying as never);
    try {
      const answer = await ask('service/web:80');
      expect(failing(answer)[0], connectionText(answer)).toBe(step);
      expect(answer.works).toBe(false);
      expect(answer.cause).toContain(message);
    } finally {
      await cluster.client
        .resource('networking.k8s.io/v1/networkpolicies')
        .delete({ namespace: 'default', name: 'deny' });
    }
  });

  it('is allowed again by a rule for its port name and labels', async () => {
    await cluster.apply(
      policy('deny', {
        podSelector: { matchLabels: { app: 'web' } },
        ingress: [{ from: [{ podSelector: { matchLabels: { app: 'client' } } }], ports: [{ port: 'http' }] }],
      }) as never,
    );
    const answer = await ask('service/web:80');
    expect(answer.works, connectionText(answer)).toBe(true);
    expect(connectionText(answer)).toContain('NetworkPolicy default/deny allows it');
    expect((await ask('pod/default/web:8080', 'pod/other/stranger')).works).toBe(false);
    await cluster.client
      .resource('networking.k8s.io/v1/networkpolicies')
      .delete({ namespace: 'default', name: 'deny' });
  });
});

it('leaves open what the asker may not read', async () => {
  const RBAC = 'rbac.authorization.k8s.io';
  await cluster.apply([
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: 'pods', namespace: 'default' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'pods', namespace: 'default' },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'pods' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: RBAC }],
    },
  ]);
  const answer = await ask('pod/web:8080', 'pod/client', { client: cluster.clientAs('jane') });
  expect(answer.works).toBeUndefined();
  expect(answer.unknown.join()).toContain('you may not list networkpolicies');
});

describe('names and destinations', () => {
  it.each([
    ['service/web:80', { kind: 'service', namespace: 'default', name: 'web', port: '80' }],
    ['svc/other/web:http', { kind: 'service', namespace: 'other', name: 'web', port: 'http' }],
    ['pod/a:1', { kind: 'pod', namespace: 'default', name: 'a', port: '1' }],
    ['web.other:80', { kind: 'name', host: 'web.other', port: '80' }],
    ['10.0.0.1:80', { kind: 'address', address: '10.0.0.1', port: '80' }],
    ['[fd00::1]:80', { kind: 'address', address: 'fd00::1', port: '80' }],
  ])('%s', (text, destination) => {
    expect(parseDestination(text, 'default')).toEqual(destination);
  });

  it.each(['service/web', 'node/a:80', 'service/a/b/c:80', ''])('%j is refused', (text) => {
    expect(() => parseDestination(text, 'default')).toThrow();
  });

  it('sources are pods', () => {
    expect(parseSource('pod/other/a', 'default')).toEqual({ namespace: 'other', name: 'a' });
    expect(parseSource('a', 'default')).toEqual({ namespace: 'default', name: 'a' });
    expect(() => parseSource('service/a', 'default')).toThrow('a connection begins in a Pod');
  });

  it('are tried by the search path', () => {
    const one = { metadata: { name: 'a', namespace: 'ns' }, spec: { containers: [] } };
    const resolver = resolverOf(one, ['10.96.0.10']);
    expect(triedNames('b', resolver)).toEqual([
      'b.ns.svc.cluster.local',
      'b.svc.cluster.local',
      'b.cluster.local',
      'b',
    ]);
    expect(triedNames('b.c.', resolver)).toEqual(['b.c']);
    expect(triedNames('a.b.c.d.e.f', resolver)[0]).toBe('a.b.c.d.e.f');
    expect(serviceOfName('x.b.ns.svc.cluster.local')).toEqual({ namespace: 'ns', name: 'b', hostname: 'x' });
    expect(serviceOfName('example.com')).toBeUndefined();
    expect(resolverOf({ ...one, spec: { ...one.spec, dnsPolicy: 'Default' } }, ['10.96.0.10']).usesCluster).toBe(false);
  });
});
