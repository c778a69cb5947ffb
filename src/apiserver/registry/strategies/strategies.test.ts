import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestAnswer, type TestServer } from '../../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const NS = '/api/v1/namespaces/default';
const POD = { containers: [{ name: 'c', image: 'i' }] };
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: POD };
const SELECTOR = { matchLabels: { a: 'b' } };
const patch = (target: string, body: unknown): Promise<TestAnswer> =>
  server.call('PATCH', target, { body, contentType: 'application/merge-patch+json' });

interface KindCase {
  readonly path: string;
  readonly body: object;
  /** PUT to a name that is free. */
  readonly putCreates?: true;
  readonly needsResourceVersion?: true;
  readonly deleteReturns: 'object' | 'Status';
  /** A change that counts, for kinds that count. */
  readonly counted?: object;
}

const KINDS: Record<string, KindCase> = {
  ConfigMap: { path: `${NS}/configmaps`, body: {}, deleteReturns: 'Status' },
  Endpoints: { path: `${NS}/endpoints`, body: {}, putCreates: true, deleteReturns: 'Status' },
  LimitRange: { path: `${NS}/limitranges`, body: { spec: { limits: [] } }, putCreates: true, deleteReturns: 'Status' },
  PersistentVolumeClaim: {
    path: `${NS}/persistentvolumeclaims`,
    body: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    deleteReturns: 'object',
  },
  PodTemplate: {
    path: `${NS}/podtemplates`,
    body: { template: TEMPLATE },
    deleteReturns: 'object',
    counted: { template: { metadata: { labels: { x: 'y' } } } },
  },
  ResourceQuota: { path: `${NS}/resourcequotas`, body: {}, deleteReturns: 'object' },
  Secret: { path: `${NS}/secrets`, body: {}, deleteReturns: 'Status' },
  ServiceAccount: { path: `${NS}/serviceaccounts`, body: {}, deleteReturns: 'object' },
  Deployment: {
    path: '/apis/apps/v1/namespaces/default/deployments',
    body: { spec: { selector: SELECTOR, template: TEMPLATE } },
    deleteReturns: 'Status',
    counted: { metadata: { annotations: { note: 'x' } } },
  },
  ReplicaSet: {
    path: '/apis/apps/v1/namespaces/default/replicasets',
    body: { spec: { selector: SELECTOR, template: TEMPLATE } },
    deleteReturns: 'Status',
    counted: { spec: { replicas: 2 } },
  },
  CronJob: {
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    body: {
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: { ...POD, restartPolicy: 'Never' } } } },
      },
    },
    deleteReturns: 'Status',
    counted: { spec: { suspend: true } },
  },
  Lease: {
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    body: {},
    putCreates: true,
    needsResourceVersion: true,
    deleteReturns: 'Status',
  },
  EndpointSlice: {
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    body: { addressType: 'IPv4', endpoints: [] },
    deleteReturns: 'Status',
    counted: { metadata: { labels: { x: 'y' } } },
  },
  NetworkPolicy: {
    path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    body: { spec: { podSelector: {} } },
    deleteReturns: 'Status',
    counted: { spec: { policyTypes: ['Egress'] } },
  },
  PodDisruptionBudget: {
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    body: { spec: { minAvailable: 1, selector: SELECTOR } },
    needsResourceVersion: true,
    deleteReturns: 'Status',
    counted: { spec: { minAvailable: 2 } },
  },
  Role: {
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
    body: { rules: [] },
    putCreates: true,
    deleteReturns: 'Status',
  },
  RuntimeClass: {
    path: '/apis/node.k8s.io/v1/runtimeclasses',
    body: { handler: 'runc' },
    putCreates: true,
    needsResourceVersion: true,
    deleteReturns: 'Status',
  },
  StorageClass: {
    path: '/apis/storage.k8s.io/v1/storageclasses',
    body: { provisioner: 'example.com/p' },
    deleteReturns: 'object',
  },
  CSIDriver: {
    path: '/apis/storage.k8s.io/v1/csidrivers',
    body: { spec: {} },
    needsResourceVersion: true,
    deleteReturns: 'object',
  },
};

describe.each(Object.entries(KINDS))('%s', (kind, subject) => {
  const name = `life-${kind.toLowerCase()}`;
  const target = `${subject.path}/${name}`;
  const body = { ...subject.body, metadata: { name } };

  it(`PUT ${subject.putCreates ? 'creates' : 'does not create'} it`, async () => {
    expect((await server.call('PUT', target, { body })).status).toBe(subject.putCreates ? 201 : 404);
    if (!subject.putCreates) expect((await server.call('POST', subject.path, { body })).status).toBe(201);
  });

  it(`PUT without resourceVersion ${subject.needsResourceVersion ? 'is refused' : 'is accepted'}`, async () => {
    const answer = await server.call('PUT', target, { body });
    expect(answer.status).toBe(subject.needsResourceVersion ? 422 : 200);
    if (subject.needsResourceVersion)
      expect(answer.body['message']).toContain(
        'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      );
  });

  it(`${subject.counted ? 'counts' : 'does not count'} its changes`, async () => {
    const before = (await server.call('GET', target)).body.metadata.generation;
    expect(before).toBe(subject.counted ? 1 : undefined);
    if (subject.counted) expect((await patch(target, subject.counted)).body.metadata.generation).toBe(2);
    expect((await patch(target, { metadata: { finalizers: [] } })).body.metadata.generation).toBe(
      subject.counted ? 2 : undefined,
    );
  });

  it(`DELETE answers with the ${subject.deleteReturns}`, async () => {
    await patch(target, { metadata: { finalizers: null } });
    const answer = await server.call('DELETE', target);
    expect(answer.body.kind).toBe(subject.deleteReturns === 'object' ? kind : 'Status');
  });
});

describe('pods', () => {
  const pod = (name: string, spec: object = {}): object => ({ metadata: { name }, spec: { ...POD, ...spec } });
  const create = (name: string, spec?: object): Promise<TestAnswer> =>
    server.call('POST', `${NS}/pods`, { body: pod(name, spec) });

  it('begin pending, with a QoS class, at generation 1, regardless of the given status', async () => {
    const { body } = await server.call('POST', `${NS}/pods`, {
      body: { ...pod('fresh'), status: { phase: 'Running' } },
    });
    expect(body).toMatchObject({ metadata: { generation: 1 }, status: { phase: 'Pending', qosClass: 'BestEffort' } });
  });

  it('report that scheduling gates block them', async () => {
    const { body } = await create('gated', { schedulingGates: [{ name: 'example.com/wait' }] });
    expect(body['status']).toMatchObject({
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
    });
  });

  it('without a node go at once, with one after their grace period, which can only shrink', async () => {
    await create('loose');
    expect((await server.call('DELETE', `${NS}/pods/loose`)).status).toBe(200);
    expect((await server.call('GET', `${NS}/pods/loose`)).status).toBe(404);

    await create('bound', { nodeName: 'n', terminationGracePeriodSeconds: 40 });
    expect((await server.call('DELETE', `${NS}/pods/bound`)).body.metadata.deletionGracePeriodSeconds).toBe(40);
    expect(
      (await server.call('DELETE', `${NS}/pods/bound?gracePeriodSeconds=50`)).body.metadata.deletionGracePeriodSeconds,
    ).toBe(40);
    expect(
      (await server.call('DELETE', `${NS}/pods/bound?gracePeriodSeconds=5`)).body.metadata.deletionGracePeriodSeconds,
    ).toBe(5);
    await server.call('DELETE', `${NS}/pods/bound?gracePeriodSeconds=0`);
    expect((await server.call('GET', `${NS}/pods/bound`)).status).toBe(404);
  });

  it('that have ended go at once', async () => {
    await create('ended', { nodeName: 'n' });
    await patch(`${NS}/pods/ended/status`, { status: { phase: 'Succeeded' } });
    await server.call('DELETE', `${NS}/pods/ended`);
    expect((await server.call('GET', `${NS}/pods/ended`)).status).toBe(404);
  });

  it('keep spec and owners from their status', async () => {
    await create('split');
    const { body } = await patch(`${NS}/pods/split/status`, {
      metadata: { labels: { via: 'status' } },
      spec: { activeDeadlineSeconds: 3 },
      status: { message: 'm' },
    });
    expect(body).toMatchObject({
      metadata: { labels: { via: 'status' } },
      status: { message: 'm', qosClass: 'BestEffort' },
    });
    expect(body['spec']).not.toHaveProperty('activeDeadlineSeconds');
  });
});

describe('resource slices', () => {
  it('count a write of a field whose feature is disabled', async () => {
    const path = '/apis/resource.k8s.io/v1/resourceslices';
    const spec = (device: object): object => ({
      driver: 'example.com',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      nodeName: 'n',
      devices: [{ name: 'd', ...device }],
    });
    const { body } = await server.call('POST', path, { body: { metadata: { name: 's' }, spec: spec({}) } });
    const again = await server.call('PUT', `${path}/s`, {
      body: {
        metadata: { name: 's', resourceVersion: body.metadata.resourceVersion },
        spec: spec({ nodeAllocatableResourceMappings: { a: { capacityKey: 'k' } } }),
      },
    });
    expect([again.status, again.body.metadata.generation]).toEqual([200, 2]);
    expect(JSON.stringify(again.body)).not.toContain('nodeAllocatableResourceMappings":{"a"');
  });
});

describe('endpoint slices', () => {
  it('drop a written deprecatedTopology, and count the write', async () => {
    const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    const endpoints = [{ addresses: ['10.1.2.3'], deprecatedTopology: { a: 'b' } }];
    await server.call('POST', path, { body: { metadata: { name: 't' }, addressType: 'IPv4', endpoints } });
    const { body } = await patch(`${path}/t`, { endpoints });
    expect([body.metadata.generation, body['endpoints']]).toEqual([2, [{ addresses: ['10.1.2.3'], conditions: {} }]]);
  });
});

describe('jobs', () => {
  it('select their pods by labels that are unique', async () => {
    const { body } = await server.call('POST', '/apis/batch/v1/namespaces/default/jobs', {
      body: { metadata: { name: 'j' }, spec: { template: { spec: { ...POD, restartPolicy: 'Never' } } } },
    });
    const uid = body.metadata.uid!;
    expect(body['spec']).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: {
        metadata: { labels: { 'job-name': 'j', 'batch.kubernetes.io/job-name': 'j', 'controller-uid': uid } },
      },
    });
  });

  it('orphan their pods unless a policy is given, and warn about it', async () => {
    const answer = await server.call('DELETE', '/apis/batch/v1/namespaces/default/jobs/j');
    expect(answer.body.metadata.finalizers).toEqual(['orphan']);
    expect(answer.warnings.join()).toContain('child pods are preserved by default');
  });
});

describe('namespaces', () => {
  it('keep the kubernetes finalizer until it is removed through finalize', async () => {
    const created = await server.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'room' } } });
    expect(created.body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'room' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    const deleted = await server.call('DELETE', '/api/v1/namespaces/room');
    expect(deleted.body['status']).toEqual({ phase: 'Terminating' });
    expect((await server.call('DELETE', '/api/v1/namespaces/room')).status).toBe(200);
    const live = (await server.call('GET', '/api/v1/namespaces/room')).body;
    expect((await server.call('PUT', '/api/v1/namespaces/room', { body: { ...live, spec: {} } })).body['spec']).toEqual(
      { finalizers: ['kubernetes'] },
    );
    const now = (await server.call('GET', '/api/v1/namespaces/room')).body;
    expect((await server.call('PUT', '/api/v1/namespaces/room/finalize', { body: { ...now, spec: {} } })).status).toBe(
      200,
    );
    expect((await server.call('GET', '/api/v1/namespaces/room')).status).toBe(404);
  });
});

describe('other kinds', () => {
  it('a claim has its data source in both fields', async () => {
    const dataSource = { kind: 'PersistentVolumeClaim', name: 'other' };
    const { body } = await server.call('POST', `${NS}/persistentvolumeclaims`, {
      body: {
        metadata: { name: 'copy' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, dataSource },
      },
    });
    expect(body).toMatchObject({ spec: { dataSource, dataSourceRef: dataSource }, status: { phase: 'Pending' } });
  });

  it('a node is created with its status, and keeps it in later plain writes', async () => {
    const created = await server.call('POST', '/api/v1/nodes', {
      body: { metadata: { name: 'n1' }, status: { capacity: { cpu: '4' } } },
    });
    expect(created.body['status']).toMatchObject({ capacity: { cpu: '4' } });
    expect((await patch('/api/v1/nodes/n1', { status: { capacity: { cpu: '8' } } })).body['status']).toMatchObject({
      capacity: { cpu: '4' },
    });
  });

  it('a node drops its configuration source', async () => {
    const configMap = { name: 'a', namespace: 'b', kubeletConfigKey: 'c' };
    const { status, body } = await server.call('POST', '/api/v1/nodes?dryRun=All', {
      body: {
        metadata: { name: 'n2' },
        spec: { configSource: { configMap } },
        status: { config: { assigned: { configMap } } },
      },
    });
    expect([status, body['spec'], Object.hasOwn(body['status'] as object, 'config')]).toEqual([
      201,
      { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      false,
    ]);
  });

  it('access to devices of others needs the label of the namespace', async () => {
    const body = {
      metadata: { name: 'admin' },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c', adminAccess: true } }] } },
    };
    const post = (namespace: string): Promise<{ status: number; body: Record<string, unknown> }> =>
      server.call('POST', `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaims?dryRun=All`, { body });
    await server.call('POST', '/api/v1/namespaces', {
      body: { metadata: { name: 'admins', labels: { 'resource.kubernetes.io/admin-access': 'true' } } },
    });
    expect((await post('admins')).status).toBe(201);
    expect((await post('default')).body['message']).toContain(
      'spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
    );
  });

  it('an event is deleted without a word to the garbage collector', async () => {
    const events = `${NS}/events`;
    await server.call('POST', events, {
      body: { metadata: { name: 'e', finalizers: ['x.io/y'] }, involvedObject: { namespace: 'default' } },
    });
    const { body } = await server.call('DELETE', `${events}/e`, { body: { propagationPolicy: 'Orphan' } });
    expect((body['metadata'] as { finalizers?: string[] }).finalizers).toEqual(['x.io/y']);
  });

  it('a claim does not refer into other namespaces', async () => {
    const spec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      dataSourceRef: { apiGroup: 'x.io', kind: 'K', name: 'n', namespace: 'other' },
    };
    const { body } = await server.call('POST', `${NS}/persistentvolumeclaims?dryRun=All`, {
      body: { metadata: { name: 'far' }, spec },
    });
    expect(Object.keys(body['spec'] as object).filter((name) => name.startsWith('data'))).toEqual([]);
  });

  it.each([
    ['abc', 201],
    ['-1', 201],
    ['0', 201],
    ['5', 500],
    ['18446744073709551616', 201],
  ])(
    'a new object with the resourceVersion %s is answered with %i, and a dry run of it with 201',
    async (version, status) => {
      const body = { metadata: { name: `v${version}`.toLowerCase(), resourceVersion: version } };
      expect((await server.call('POST', `${NS}/configmaps?dryRun=All`, { body })).status).toBe(201);
      expect((await server.call('POST', `${NS}/configmaps`, { body })).status).toBe(status);
    },
  );

  it('a change of a namespace, or of a volume, is checked as a whole and as a change', async () => {
    const bad = { metadata: { labels: { 'a b': 'c' } } };
    const causes = async (target: string, body: object): Promise<number> =>
      ((await patch(target, body)).body as unknown as { details: { causes: unknown[] } }).details.causes.length;
    expect(await causes('/api/v1/namespaces/default', bad)).toBe(4);
    await server.call('POST', '/api/v1/persistentvolumes', {
      body: {
        metadata: { name: 'v2' },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      },
    });
    expect(await causes('/api/v1/persistentvolumes/v2', { spec: { persistentVolumeReclaimPolicy: 'x' } })).toBe(2);
  });

  it('a volume remembers when its phase changed', async () => {
    const { body } = await server.call('POST', '/api/v1/persistentvolumes', {
      body: {
        metadata: { name: 'v' },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      },
    });
    expect(body['status']).toMatchObject({ phase: 'Pending' });
    await server.ctx.clock.advance(5000);
    const before = (body['status'] as { lastPhaseTransitionTime: string }).lastPhaseTransitionTime;
    const bound = await patch('/api/v1/persistentvolumes/v/status', { status: { phase: 'Bound' } });
    expect((bound.body['status'] as { lastPhaseTransitionTime: string }).lastPhaseTransitionTime > before).toBe(true);
  });

  it('a system priority class cannot be deleted', async () => {
    const answer = await server.call('DELETE', '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical');
    expect(answer.body['message']).toContain('this is a system priority class and cannot be deleted');
  });

  it('a daemon set counts the generations of its template', async () => {
    const path = '/apis/apps/v1/namespaces/default/daemonsets';
    const { body } = await server.call('POST', path, {
      body: { metadata: { name: 'd' }, spec: { selector: SELECTOR, template: TEMPLATE } },
    });
    expect(body.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '1' });
    const changed = await patch(`${path}/d`, { spec: { template: { metadata: { annotations: { x: 'y' } } } } });
    expect(changed.body.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '2' });
  });
});

describe('admin access to devices', () => {
  const GROUP = '/apis/resource.k8s.io/v1/namespaces';
  const request = { name: 'r', exactly: { deviceClassName: 'c', allocationMode: 'All', adminAccess: true } };
  const spec = { devices: { requests: [request] } };
  const create = (namespace: string, plural: string, of: object): Promise<TestAnswer> =>
    server.call('POST', `${GROUP}/${namespace}/${plural}`, { body: { metadata: { name: 'x' }, spec: of } });

  it('is for namespaces that say so', async () => {
    const labels = { 'resource.kubernetes.io/admin-access': 'true' };
    await server.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'admins', labels } } });
    for (const [plural, of] of [
      ['resourceclaims', spec],
      ['resourceclaimtemplates', { spec }],
    ] as const) {
      const refused = await create('default', plural, of);
      expect(refused.status).toBe(422);
      expect(refused.body['message']).toContain(
        'spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
      );
      expect((await create('admins', plural, of)).status).toBe(201);
    }
  });
});

it('a negative grace period of a pod becomes the shortest, also in an update', async () => {
  await server.call('POST', `${NS}/pods`, { body: { metadata: { name: 'negative' }, spec: POD } });
  const grace = (body: TestAnswer['body']): unknown =>
    (body['spec'] as { terminationGracePeriodSeconds?: number }).terminationGracePeriodSeconds;
  const spec = { ...POD, terminationGracePeriodSeconds: -10 };
  const { body } = await server.call('POST', `${NS}/pods`, { body: { metadata: { name: 'negative-2' }, spec } });
  expect(grace(body)).toBe(1);
  const updated = await patch(`${NS}/pods/negative-2`, { spec: { terminationGracePeriodSeconds: -5 } });
  expect([updated.status, grace(updated.body)]).toEqual([200, 1]);
});

it.each([
  ['?gracePeriodSeconds=-5', undefined],
  ['', { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: -5 }],
])('a negative grace period of a deletion becomes the shortest: %s %j', async (query, body) => {
  await server.call('POST', `${NS}/pods`, { body: { metadata: { name: 'hasty' }, spec: { ...POD, nodeName: 'n' } } });
  const deleted = await server.call('DELETE', `${NS}/pods/hasty${query}`, { body });
  expect([deleted.status, deleted.body.metadata.deletionGracePeriodSeconds]).toEqual([200, 1]);
  await server.call('DELETE', `${NS}/pods/hasty?gracePeriodSeconds=0`);
});

it('makes system namespaces anew that were deleted', async () => {
  const path = '/api/v1/namespaces/kube-node-lease';
  await server.call('PUT', `${path}/finalize`, {
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-node-lease' }, spec: {} },
  });
  await server.call('DELETE', path);
  expect((await server.call('GET', path)).status).toBe(404);
  await server.ctx.clock.advance(61_000);
  expect((await server.call('GET', path)).status).toBe(200);
});

it('keeps the QoS class of a new pod that the client has sent, and nothing else of the status', async () => {
  const status = { qosClass: 'Guaranteed', phase: 'Running', message: 'x' };
  const { body } = await server.call('POST', `${NS}/pods`, { body: { metadata: { name: 'sent' }, spec: POD, status } });
  expect(body['status']).toEqual({ phase: 'Pending', qosClass: 'Guaranteed' });
});

it.each([
  ['rules', '/webhooks/0/rules'],
  ['match conditions', '/webhooks/0/matchConditions'],
])('an empty list of %s of a webhook is a new generation, though it is not stored', async (_what, list) => {
  const collection = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const name = list.split('/').at(-1)!.toLowerCase();
  const webhook = { name: 'a.b.c', clientConfig: { url: 'https://x.y/' }, sideEffects: 'None' };
  const webhooks = [{ ...webhook, rules: [], matchConditions: [], admissionReviewVersions: ['v1'] }];
  const made = await server.call('POST', collection, { body: { metadata: { name }, webhooks } });
  const empty = async (): Promise<TestAnswer['body']> =>
    (
      await server.call('PATCH', `${collection}/${name}`, {
        body: [{ op: 'add', path: list, value: [] }],
        contentType: 'application/json-patch+json',
      })
    ).body;
  expect([made.status, made.body['metadata']]).toEqual([201, expect.objectContaining({ generation: 1 })]);
  for (const generation of [2, 3]) {
    const after = await empty();
    expect(after['metadata']).toMatchObject({ generation });
    expect(Object.keys((after['webhooks'] as object[])[0]!)).not.toContain(list.split('/').at(-1));
  }
  const labelled = await patch(`${collection}/${name}`, { metadata: { labels: { a: 'b' } } });
  expect(labelled.body['metadata']).toMatchObject({ generation: 3 });
});

describe('a NetworkPolicy', () => {
  const path = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
  const write = (method: string, target: string, name: string, spec: object): Promise<TestAnswer> =>
    server.call(method, target, { body: { metadata: { name }, spec } });

  it.each([
    ['rules', { podSelector: {}, ingress: [], egress: [], policyTypes: ['Ingress'] }],
    ['ports', { podSelector: {}, ingress: [{ ports: [] }] }],
    ['sources', { podSelector: {}, ingress: [{ from: [] }] }],
    ['exceptions', { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: [] } }] }] }],
    ['tests on labels', { podSelector: { matchExpressions: [] } }],
  ])('has a new generation with each update that sends an empty list of %s', async (what, spec) => {
    const name = what.replaceAll(' ', '-');
    const made = await write('POST', path, name, spec);
    expect([made.status, made.body.metadata.generation]).toEqual([201, 1]);
    expect(made.text).not.toContain('[]');
    for (const generation of [2, 3]) {
      const { body, text } = await write('PUT', `${path}/${name}`, name, spec);
      expect(body.metadata.generation).toBe(generation);
      expect(text).not.toContain('[]');
    }
    const labelled = await patch(`${path}/${name}`, { metadata: { labels: { a: 'b' } } });
    expect(labelled.body.metadata.generation).toBe(3);
  });

  it('is not of the type Egress for an empty list of rules, and its author owns none', async () => {
    const { body } = await write('POST', path, 'deny', { podSelector: {}, egress: [] });
    expect(body['spec']).toEqual({ podSelector: {}, policyTypes: ['Ingress'] });
    expect(body.metadata.managedFields![0]!.fieldsV1).toEqual({ 'f:spec': { 'f:policyTypes': {} } });
  });

  it('keeps its generation when an update changes nothing', async () => {
    const spec = { podSelector: { matchLabels: { a: 'b' } }, ingress: [{ ports: [{ port: 80 }] }] };
    await write('POST', path, 'same', spec);
    expect((await write('PUT', `${path}/same`, 'same', spec)).body.metadata.generation).toBe(1);
  });
});
