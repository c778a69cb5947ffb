import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../api/generated/core-v1.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { container, createObject, createNamespace, pod, podsPath, rejection } from './testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await createNamespace(server, 'a');
  await createObject(server, '/api/v1/namespaces/a/serviceaccounts', {
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    secrets: [{ name: 'good' }],
    imagePullSecrets: [{ name: 'pull' }],
  });
  await createObject(server, '/api/v1/namespaces/a/serviceaccounts', {
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: { name: 'bare' },
    automountServiceAccountToken: false,
  });
  await createObject(server, '/apis/scheduling.k8s.io/v1/priorityclasses', {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high' },
    value: 1000,
    preemptionPolicy: 'Never',
  });
  await createObject(server, '/apis/node.k8s.io/v1/runtimeclasses', {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'boxed' },
    handler: 'box',
    overhead: { podFixed: { cpu: '250m' } },
    scheduling: { nodeSelector: { box: 'yes' }, tolerations: [{ key: 'box', operator: 'Exists' }] },
  });
  await createObject(server, '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'n',
      labels: { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', other: 'x' },
    },
  });
});
afterAll(() => server.stop());

async function admitted(spec: Partial<PodSpec>, metadata: object = {}): Promise<Pod> {
  const answer = await server.call('POST', `${podsPath('a')}?dryRun=All`, { body: pod('p', spec, metadata) });
  expect(answer.text).toContain('"kind":"Pod"');
  return answer.body as unknown as Pod;
}

describe('ServiceAccount', () => {
  it('sets the default account of a pod and its token', async () => {
    const { spec } = await admitted({ initContainers: [container({ name: 'i' })] });
    expect(spec).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
    const [volume] = spec!.volumes!;
    expect(volume!.name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(volume!.projected).toEqual({
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 420,
    });
    const mount = { name: volume!.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
    expect([spec!.containers![0]!.volumeMounts, spec!.initContainers![0]!.volumeMounts]).toEqual([[mount], [mount]]);
  });

  it.each([
    ['the pod wants none', { automountServiceAccountToken: false }],
    ['the account wants none', { serviceAccountName: 'bare' }],
    [
      'every container has something at its place',
      {
        containers: [
          container({ volumeMounts: [{ name: 'v', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] }),
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    ],
  ])('mounts no token when %s', async (_name, spec) => {
    const { spec: result } = await admitted(spec);
    expect((result!.volumes ?? []).filter(({ name }) => name.startsWith('kube-api-access-'))).toEqual([]);
  });

  it("passes the account's pull secrets on, unless the pod brings some", async () => {
    expect((await admitted({ serviceAccountName: 'strict' })).spec!.imagePullSecrets).toEqual([{ name: 'pull' }]);
  });

  it.each<[string, Partial<PodSpec>, object, string]>([
    [
      'an account that does not exist',
      { serviceAccountName: 'ghost' },
      {},
      'error looking up service account a/ghost: serviceaccount "ghost" not found',
    ],
    [
      'a volume with a secret the account does not name',
      { serviceAccountName: 'strict', volumes: [{ name: 'v', secret: { secretName: 'bad' } }] },
      {},
      'volume with secret.secretName="bad" is not allowed because service account strict does not reference that secret',
    ],
    [
      'a variable from such a secret',
      {
        serviceAccountName: 'strict',
        containers: [container({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'bad', key: 'k' } } }] })],
      },
      {},
      'container c with envVar E referencing secret.secretName="bad" is not allowed because service account strict does not reference that secret',
    ],
    [
      'all variables of such a secret',
      {
        serviceAccountName: 'strict',
        initContainers: [container({ name: 'i', envFrom: [{ secretRef: { name: 'bad' } }] })],
      },
      {},
      'init container i with envFrom referencing secret.secretName="bad" is not allowed because service account strict does not reference that secret',
    ],
    [
      'another pull secret',
      { serviceAccountName: 'strict', imagePullSecrets: [{ name: 'bad' }] },
      {},
      'imagePullSecrets[0].name="bad" is not allowed because service account strict does not reference that imagePullSecret',
    ],
    [
      'a mirror pod with an account',
      { serviceAccountName: 'default' },
      { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      'a mirror pod may not reference service accounts',
    ],
    [
      'a mirror pod with a secret',
      { imagePullSecrets: [{ name: 's' }] },
      { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      'a mirror pod may not reference secrets',
    ],
    [
      'a mirror pod with a token',
      { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
      { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      'a mirror pod may not use ServiceAccountToken volume projections',
    ],
  ])('refuses %s', async (_name, spec, metadata, message) => {
    expect(await rejection(server, podsPath('a'), pod('p', spec, metadata))).toBe(`pods "p" is forbidden: ${message}`);
  });

  it('shows the prefix of a name that is still to be generated', async () => {
    const body = pod('', { serviceAccountName: 'ghost' }, { name: undefined, generateName: 'g-' });
    expect(await rejection(server, podsPath('a'), body)).toMatch(/^pods "g-" is forbidden: /);
  });

  it('waits a moment for the default account of a new namespace', async () => {
    const waiting = await startTestServer({ defaultServiceAccounts: false });
    try {
      const creating = waiting.call('POST', podsPath('default'), { body: pod('p') });
      await waiting.call('POST', '/api/v1/namespaces/default/serviceaccounts', {
        body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
      });
      expect((await creating).status).toBe(201);
      const late = waiting.call('POST', podsPath('kube-public'), { body: pod('p') });
      await waiting.ctx.clock.advance(2000);
      expect((await late).body['message']).toBe(
        'pods "p" is forbidden: error looking up service account kube-public/default: serviceaccount "default" not found',
      );
    } finally {
      await waiting.stop();
    }
  });
});

describe('Priority', () => {
  it.each<[string, Partial<PodSpec>, object]>([
    ['no class', {}, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    ['a class', { priorityClassName: 'high' }, { priority: 1000, preemptionPolicy: 'Never' }],
    ["the system's own class", { priorityClassName: 'system-node-critical' }, { priority: 2000001000 }],
    ['the right number already', { priorityClassName: 'high', priority: 1000 }, { priority: 1000 }],
  ])('resolves %s', async (_name, spec, expected) => {
    expect((await admitted(spec)).spec).toMatchObject(expected);
  });

  it.each<[string, Partial<PodSpec>, string]>([
    ['an unknown class', { priorityClassName: 'ghost' }, 'no PriorityClass with name ghost was found'],
    [
      'another number',
      { priorityClassName: 'high', priority: 7 },
      'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    ],
    [
      'another policy',
      { preemptionPolicy: 'Never' },
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ],
  ])('refuses %s', async (_name, spec, message) => {
    expect(await rejection(server, podsPath('a'), pod('p', spec))).toBe(`pods "p" is forbidden: ${message}`);
  });

  it('accepts only one default class', async () => {
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const body = (name: string): object => ({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value: 5,
      globalDefault: true,
    });
    await createObject(server, path, body('first'));
    try {
      expect((await admitted({})).spec).toMatchObject({ priorityClassName: 'first', priority: 5 });
      expect(await rejection(server, path, body('second'))).toBe(
        'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass first is already marked as default. Only one default can exist',
      );
    } finally {
      await server.call('DELETE', `${path}/first`);
    }
    expect((await admitted({})).spec!.priority).toBe(0);
  });
});

describe('DefaultTolerationSeconds', () => {
  const notReady = {
    key: 'node.kubernetes.io/not-ready',
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  };
  const unreachable = { ...notReady, key: 'node.kubernetes.io/unreachable' };
  it.each<[string, PodSpec['tolerations'], unknown[]]>([
    ['nothing', undefined, [notReady, unreachable]],
    [
      'one of the taints for ever',
      [{ key: notReady.key, operator: 'Exists' }],
      [{ key: notReady.key, operator: 'Exists' }, unreachable],
    ],
    ['everything', [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
    [
      'only the other effect',
      [{ key: notReady.key, operator: 'Exists', effect: 'NoSchedule' }],
      [{ key: notReady.key, operator: 'Exists', effect: 'NoSchedule' }, notReady, unreachable],
    ],
  ])('adds missing tolerations to a pod that tolerates %s', async (_name, tolerations, expected) => {
    expect((await admitted({ ...(tolerations ? { tolerations } : {}) })).spec!.tolerations).toEqual(expected);
  });
});

describe('RuntimeClass', () => {
  it('sets overhead, node selector and tolerations', async () => {
    const { spec } = await admitted({ runtimeClassName: 'boxed', nodeSelector: { mine: '1' } });
    expect(spec).toMatchObject({ overhead: { cpu: '250m' }, nodeSelector: { mine: '1', box: 'yes' } });
    expect(spec!.tolerations).toContainEqual({ key: 'box', operator: 'Exists' });
  });

  it.each<[string, Partial<PodSpec>, string]>([
    ['an unknown class', { runtimeClassName: 'ghost' }, 'pod rejected: RuntimeClass "ghost" not found'],
    [
      'another overhead',
      { runtimeClassName: 'boxed', overhead: { cpu: '1' } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [
      'an overhead without class',
      { overhead: { cpu: '1' } },
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ],
    [
      'another place',
      { runtimeClassName: 'boxed', nodeSelector: { box: 'no' } },
      'conflict: runtimeClass.scheduling.nodeSelector[box] = yes; pod.spec.nodeSelector[box] = no',
    ],
  ])('refuses %s', async (_name, spec, message) => {
    expect(await rejection(server, podsPath('a'), pod('p', spec))).toBe(`pods "p" is forbidden: ${message}`);
  });
});

describe('PodTopologyLabels', () => {
  it('copies zone and region of the node when the pod is bound', async () => {
    await createObject(server, podsPath('a'), pod('bound', {}, { labels: { 'topology.kubernetes.io/zone': 'own' } }));
    await server.call('POST', `${podsPath('a')}/bound/binding`, {
      body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'bound' }, target: { kind: 'Node', name: 'n' } },
    });
    const { body } = await server.call('GET', `${podsPath('a')}/bound`);
    expect(body.metadata.labels).toMatchObject({ 'topology.kubernetes.io/region': 'r' });
    expect(body.metadata.labels).not.toHaveProperty('other');
  });
});

describe('changes of a running pod', () => {
  const resize = (name: string, cpu: string): ReturnType<TestServer['call']> =>
    server.call('PATCH', `${podsPath('a')}/${name}/resize`, {
      body: { spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] } },
      contentType: 'application/strategic-merge-patch+json',
    });

  it('stay within the capacity of the node, on Linux', async () => {
    await createObject(server, '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'small', labels: { 'kubernetes.io/os': 'linux' } },
      status: { allocatable: { cpu: '1', memory: '1Gi' } },
    });
    await createObject(
      server,
      podsPath('a'),
      pod('grows', { nodeName: 'small', containers: [container({ resources: { requests: { cpu: '100m' } } })] }),
    );
    await createObject(
      server,
      podsPath('a'),
      pod('lost', { nodeName: 'nowhere', containers: [container({ resources: { requests: { cpu: '100m' } } })] }),
    );
    const refused = await resize('grows', '2');
    expect(refused.body['message']).toBe(
      `pods "grows" is forbidden: node didn't have enough allocatable resources: cpu, requested: 2000, allocatable: 1000`,
    );
    expect(refused.body['details']).toMatchObject({ causes: [{ reason: 'NodeCapacity' }] });
    expect((await resize('lost', '200m')).body['message']).toBe('pods "lost" is forbidden: node "nowhere" not found');
    expect((await resize('grows', '500m')).status).toBe(200);
  });

  it('with no containers are refused by name', async () => {
    const { status, body } = await server.call('PUT', `${podsPath('a')}/grows/resize`, {
      body: { metadata: { name: 'grows' }, spec: { containers: [] } },
    });
    expect(status).toBe(422);
    expect(body['message']).toContain('spec.containers: Forbidden: containers may not be added or removed on resize');
  });
});
