import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestAnswer, type TestServer } from '../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const NS = '/api/v1/namespaces/default';
const patch = (target: string, body: unknown): Promise<TestAnswer> =>
  server.call('PATCH', target, { body, contentType: 'application/merge-patch+json' });
const pod = (name: string, spec: object = {}, labels?: object): Promise<TestAnswer> =>
  server.call('POST', `${NS}/pods`, {
    body: { metadata: { name, labels }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } },
  });
const message = (answer: TestAnswer): unknown => answer.body['message'];

describe('scale', () => {
  const PATH = '/apis/apps/v1/namespaces/default/replicasets';
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  beforeAll(() =>
    server.call('POST', PATH, {
      body: { metadata: { name: 'r' }, spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template } },
    }),
  );

  it('shows a workload as a Scale', async () => {
    const { body } = await server.call('GET', `${PATH}/r/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'a=b' },
    });
    expect(body.metadata).not.toHaveProperty('managedFields');
  });

  it('writes the replicas, and counts the change', async () => {
    const put = await server.call('PUT', `${PATH}/r/scale`, {
      body: { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'r' }, spec: { replicas: 5 } },
    });
    expect(put.body['spec']).toEqual({ replicas: 5 });
    expect((await server.call('GET', `${PATH}/r`)).body).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 5 },
    });
    expect((await patch(`${PATH}/r/scale`, { spec: { replicas: 1 } })).body['spec']).toEqual({ replicas: 1 });
  });

  it.each([
    ['a patch', '/r/scale', 'application/merge-patch+json', {}],
    [
      'an apply',
      '/r/scale?fieldManager=a&force=true',
      'application/apply-patch+yaml',
      { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'r' } },
    ],
  ])('%s applies to the live object, with many concurrent writers', async (_name, target, contentType, rest) => {
    const labels = Array.from({ length: 8 }, (_v, i) =>
      patch(`${PATH}/r`, { metadata: { labels: { [`n${i}`]: contentType.length.toString() } } }),
    );
    const scales = Array.from({ length: 8 }, (_v, i) =>
      server.call('PATCH', `${PATH}${target}`, { contentType, body: { ...rest, spec: { replicas: i + 2 } } }),
    );
    const answers = await Promise.all([...labels, ...scales]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
  });

  it('records the field manager', async () => {
    const { body } = await server.call('GET', `${PATH}/r`);
    const owner = body.metadata.managedFields!.find((entry) => entry.subresource === 'scale');
    expect(owner).toMatchObject({ apiVersion: 'apps/v1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } });
  });

  it.each([
    [
      'a negative count',
      { metadata: { name: 'r' }, spec: { replicas: -1 } },
      'Scale.autoscaling "r" is invalid: spec.replicas: Invalid value: -1',
    ],
    ['another name', { metadata: { name: 'x' } }, 'the name of the object (x) does not match the name on the URL (r)'],
    ['no name', {}, 'was undeterminable: name must be provided'],
    [
      'an old version',
      { metadata: { name: 'r', resourceVersion: '1' } },
      'Operation cannot be fulfilled on replicasets.apps "r": the object has been modified',
    ],
  ])('refuses %s', async (_name, body, expected) => {
    expect(message(await server.call('PUT', `${PATH}/r/scale`, { body }))).toContain(expected);
  });
});

describe('binding', () => {
  const bind = (name: string, node: string, query = ''): Promise<TestAnswer> =>
    server.call('POST', `${NS}/pods/${name}/binding${query}`, {
      body: { metadata: { name }, target: { kind: 'Node', name: node } },
    });

  it('assigns a pod once', async () => {
    await pod('bind');
    expect((await bind('bind', 'n', '?dryRun=All')).status).toBe(201);
    expect((await bind('bind', 'n')).body).toMatchObject({ kind: 'Status', status: 'Success', code: 201 });
    const { body } = await server.call('GET', `${NS}/pods/bind`);
    expect(body).toMatchObject({
      spec: { nodeName: 'n' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect(message(await bind('bind', 'm'))).toBe(
      'Operation cannot be fulfilled on pods/binding "bind": pod bind is already assigned to node "n"',
    );
  });

  it('does not assign a pod that is gated', async () => {
    await pod('bind-gated', { schedulingGates: [{ name: 'g' }] });
    expect(message(await bind('bind-gated', 'n'))).toContain('has non-empty .spec.schedulingGates');
  });

  it('is accepted at the collection too', async () => {
    await pod('bind-there');
    expect(
      (
        await server.call('POST', `${NS}/bindings`, {
          body: { metadata: { name: 'bind-there' }, target: { name: 'n' } },
        })
      ).status,
    ).toBe(201);
    expect(message(await server.call('POST', `${NS}/bindings`, { body: { target: { name: 'n' } } }))).toBe(
      'Name parameter required.',
    );
  });

  it('needs a node', async () => {
    expect(
      message(await server.call('POST', `${NS}/pods/bind/binding`, { body: { metadata: { name: 'bind' } } })),
    ).toBe('target.name: Required value');
  });
});

describe('eviction', () => {
  const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const evict = (name: string, more: object = {}, query = ''): Promise<TestAnswer> =>
    server.call('POST', `${NS}/pods/${name}/eviction${query}`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more },
    });
  const running = async (name: string, labels: object): Promise<void> => {
    await pod(name, { nodeName: 'n' }, labels);
    await patch(`${NS}/pods/${name}/status`, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  };
  const budget = async (name: string, labels: object, status: object): Promise<void> => {
    await server.call('POST', BUDGETS, {
      body: { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: labels } } },
    });
    await patch(`${BUDGETS}/${name}/status`, { status: { observedGeneration: 1, ...status } });
  };

  it('deletes a pod without a budget', async () => {
    await pod('evict');
    expect((await evict('evict')).body).toMatchObject({ status: 'Success', code: 201 });
    expect((await server.call('GET', `${NS}/pods/evict`)).status).toBe(404);
  });

  it('sets the reason before the pod is deleted', async () => {
    await running('evict-marked', {});
    await patch(`${NS}/pods/evict-marked`, { metadata: { finalizers: ['example.com/stay'] } });
    expect((await evict('evict-marked')).status).toBe(201);
    const { body } = await server.call('GET', `${NS}/pods/evict-marked`);
    expect(body.metadata.deletionTimestamp).toBeDefined();
    expect((body['status'] as { conditions: object[] }).conditions).toContainEqual({
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: expect.any(String) as string,
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    });
  });

  it('says of a bad eviction of the old version what it is', async () => {
    const { body } = await server.call('POST', `${NS}/pods/none/eviction`, {
      body: { apiVersion: 'policy/v1beta1', kind: 'Eviction', deleteOptions: 'x' },
    });
    expect([body['code'], body['message']]).toEqual([
      400,
      'Eviction in version "v1beta1" cannot be handled as a Eviction: json: cannot unmarshal string into Go struct field Eviction.deleteOptions of type v1.DeleteOptions',
    ]);
  });

  it('accepts evictions of the old version', async () => {
    await pod('evict-old');
    const answer = await server.call('POST', `${NS}/pods/evict-old/eviction`, {
      body: { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'evict-old' } },
    });
    expect(answer.status).toBe(201);
  });

  it('decreases the budget, and refuses when it is exhausted', async () => {
    await running('evict-a', { app: 'e' });
    await running('evict-b', { app: 'e' });
    await budget('e', { app: 'e' }, { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 });
    expect((await evict('evict-a', {}, '?dryRun=All')).status).toBe(201);
    expect((await evict('evict-a')).status).toBe(201);
    const { body } = await server.call('GET', `${BUDGETS}/e`);
    expect(body['status']).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False' }],
    });
    expect(Object.keys((body['status'] as { disruptedPods: object }).disruptedPods)).toEqual(['evict-a']);
    const refused = await evict('evict-b');
    expect(refused.status).toBe(429);
    expect(refused.body['details']).toEqual({
      causes: [
        { reason: 'DisruptionBudget', message: 'The disruption budget e does not allow evicting pods currently' },
      ],
    });
    await running('evict-c', { app: 'c' });
    await budget('c', { app: 'c' }, { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2, expectedPods: 2 });
    expect((await evict('evict-c')).body['details']).toEqual({
      causes: [
        { reason: 'DisruptionBudget', message: 'The disruption budget c needs 2 healthy pods and has 1 currently' },
      ],
    });
  });

  it('waits for the controller to have seen the budget', async () => {
    await running('evict-new', { app: 'n' });
    await server.call('POST', BUDGETS, {
      body: { metadata: { name: 'n' }, spec: { minAvailable: 0, selector: { matchLabels: { app: 'n' } } } },
    });
    const answer = await evict('evict-new');
    expect([answer.status, answer.response.headers['retry-after']]).toEqual([429, '10']);
  });

  it('refuses a pod with two budgets', async () => {
    await running('evict-two', { app: 'two' });
    await budget('two-1', { app: 'two' }, {});
    await budget('two-2', { app: 'two' }, {});
    expect(message(await evict('evict-two'))).toBe(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  });

  it('evicts a pod that is not ready when enough others are', async () => {
    await running('evict-ill', { app: 'ill' });
    await budget(
      'ill',
      { app: 'ill' },
      { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 },
    );
    expect((await evict('evict-ill')).status).toBe(429);
    await patch(`${NS}/pods/evict-ill/status`, { status: { conditions: [{ type: 'Ready', status: 'False' }] } });
    expect((await evict('evict-ill')).status).toBe(201);
  });

  it('checks the name and the options of the deletion', async () => {
    expect(message(await server.call('POST', `${NS}/pods/x/eviction`, { body: { metadata: { name: 'y' } } }))).toBe(
      'name in URL does not match name in Eviction object',
    );
    expect((await evict('x', { deleteOptions: { propagationPolicy: 'Odd' } })).status).toBe(422);
  });
});

describe('pods: ephemeral containers and resize', () => {
  it('adds ephemeral containers and changes nothing else', async () => {
    await pod('debug');
    const { body } = await patch(`${NS}/pods/debug/ephemeralcontainers`, {
      metadata: { labels: { no: 'way' } },
      spec: { hostNetwork: true, ephemeralContainers: [{ name: 'e', image: 'busybox' }] },
    });
    expect(body).toMatchObject({ metadata: { generation: 2 }, spec: { ephemeralContainers: [{ name: 'e' }] } });
    expect(body['spec']).not.toHaveProperty('hostNetwork');
    expect(body.metadata).not.toHaveProperty('labels');
  });

  it('changes resources and nothing else', async () => {
    const resources = (cpu: string): object => ({ requests: { cpu }, limits: { cpu, memory: '1Gi' } });
    await server.call('POST', `${NS}/pods`, {
      body: {
        metadata: { name: 'grow' },
        spec: { containers: [{ name: 'c', image: 'i', resources: resources('1') }] },
      },
    });
    const { body } = await server.call('PATCH', `${NS}/pods/grow/resize`, {
      body: { spec: { containers: [{ name: 'c', image: 'other', resources: resources('2') }] } },
      contentType: 'application/strategic-merge-patch+json',
    });
    expect(body).toMatchObject({
      metadata: { generation: 2 },
      spec: { containers: [{ image: 'i', resources: { limits: { cpu: '2' } } }] },
    });
  });
});

describe('certificate requests', () => {
  const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

  it('belong to their sender, and invalid requests are refused', async () => {
    const answer = await server.call('POST', PATH, {
      body: {
        metadata: { name: 'c' },
        spec: { request: 'eA==', signerName: 'example.com/s', usages: ['client auth'], username: 'somebody' },
      },
    });
    expect(answer.status).toBe(422);
  });
});

describe('tokens', () => {
  const token = (body: object, name = 'default'): Promise<TestAnswer> =>
    server.call('POST', `${NS}/serviceaccounts/${name}/token`, { body });

  it('are issued for an hour and this server by default', async () => {
    const { status, body } = await token({});
    expect(status).toBe(201);
    expect(body['spec']).toMatchObject({
      expirationSeconds: 3600,
      audiences: ['https://kubernetes.default.svc.cluster.local'],
    });
    expect((body['status'] as { token: string }).token.split('.')).toHaveLength(3);
  });

  it.each([
    ['too short', { spec: { expirationSeconds: 1 } }, 'may not specify a duration less than 10 minutes'],
    [
      'bound to nothing known',
      { spec: { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } } },
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    [
      'bound to what is not there',
      { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none' } } },
      'secrets "none" not found',
    ],
    ['of another name', { metadata: { name: 'x' } }, 'must match the service account name if specified'],
  ])('refuses one %s', async (_name, body, expected) => {
    expect(message(await token(body))).toContain(expected);
  });

  it('needs the account', async () => {
    expect((await token({}, 'nobody')).status).toBe(404);
  });
});

describe('requests to a kubelet', () => {
  beforeAll(async () => {
    await pod('quiet');
    await server.call('POST', `${NS}/pods`, {
      body: {
        metadata: { name: 'two' },
        spec: {
          initContainers: [{ name: 'i', image: 'i' }],
          containers: [
            { name: 'a', image: 'i' },
            { name: 'b', image: 'i' },
          ],
        },
      },
    });
    await pod('lost', { nodeName: 'no-such-node' });
  });

  it('has no logs before a pod has a node', async () => {
    expect((await server.call('GET', `${NS}/pods/quiet/log`)).status).toBe(204);
  });

  it.each([
    ['two/log', 'a container name must be specified for pod two, choose one of: [i a b]'],
    ['two/log?container=z', 'container z is not valid for pod two'],
    ['quiet/log?tailLines=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['quiet/log?tailLines=-1', 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    [
      'quiet/log?sinceSeconds=5&sinceTime=2020-01-01T00:00:00Z',
      'at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    ['quiet/log?stream=Stdout', 'stream: Forbidden: may not be specified'],
    ['lost/log', 'nodes "no-such-node" not found'],
    ['quiet/exec?command=ls', 'pod quiet does not have a host assigned'],
    ['two/attach', 'a container name must be specified for pod two'],
    ['quiet/portforward?ports=80', 'pod quiet does not have a host assigned'],
    ['quiet/proxy/', 'address not allowed'],
    ['nobody/proxy/', 'pods "nobody" not found'],
    ['a:b:c:d/proxy/', 'invalid pod request "a:b:c:d"'],
  ])('%s: %s', async (target, expected) => {
    expect(message(await server.call('GET', `${NS}/pods/${target}`))).toContain(expected);
  });

  it.each(['HEAD', 'OPTIONS'])('accepts %s on its proxies only', async (method) => {
    expect((await server.call(method, `${NS}/pods/proxy-nobody/proxy/a`)).status).toBe(404);
    expect((await server.call(method, `${NS}/services/proxy/proxy/a`)).status).toBe(404);
    expect((await server.call(method, `${NS}/pods/quiet/log`)).status).toBe(405);
  });

  it('finds no endpoints of a service without endpoints', async () => {
    await server.call('POST', `${NS}/services`, { body: { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } } });
    expect(message(await server.call('GET', `${NS}/services/s:80/proxy/`))).toBe(
      'no endpoints available for service "s"',
    );
    expect(message(await server.call('GET', `${NS}/services/s:81/proxy/`))).toBe(
      'no service port 81 found for service "s"',
    );
  });
});

describe('component statuses', () => {
  it('are deprecated and short', async () => {
    const answer = await server.call('GET', '/api/v1/componentstatuses');
    expect(answer.body).toMatchObject({ kind: 'ComponentStatusList', items: [{ metadata: { name: 'etcd-0' } }] });
    expect(answer.warnings.join()).toContain('v1 ComponentStatus is deprecated in v1.19+');
    expect(message(await server.call('GET', '/api/v1/componentstatuses/x'))).toBe('componentstatus "x" not found');
  });
});
