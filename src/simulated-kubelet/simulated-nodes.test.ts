import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { startTestServer, type TestServer } from '../apiserver/testing/index.ts';
import { Client } from '../client/index.ts';
import { inProcessTransport } from '../cluster/in-process-transport.ts';
import {
  BEHAVIOUR_ANNOTATION,
  SimulatedNodes,
  type PodBehaviour,
  type PodScript,
  type SimulatedNodesOptions,
} from './index.ts';

let server: TestServer;
let client: Client;
let options: SimulatedNodesOptions;
let nodes: SimulatedNodes;
let running: Promise<void>;
const others: Promise<void>[] = [];
const undo: (() => void)[] = [];

beforeAll(async () => {
  server = await startTestServer();
  const { ctx, pipeline } = server;
  const clientAs = (name: string, group: string): Client =>
    new Client({
      transport: inProcessTransport({
        handle: pipeline.handle,
        user: { name, groups: [group, 'system:authenticated'] },
        signal: ctx.signal,
      }),
      clock: ctx.clock,
      userAgent: 'simulated-kubelet',
    });
  client = clientAs('admin', 'system:masters');
  options = { reader: client, admin: client, kubeletClient: (name) => clientAs(`system:node:${name}`, 'system:nodes') };
  nodes = new SimulatedNodes(ctx, options);
  running = nodes.run();
  await server.ctx.clock.drive(nodes.add({ count: 1 }));
});

afterEach(() => {
  for (const step of undo.splice(0)) step();
});

afterAll(async () => {
  await server.stop();
  await Promise.all([running, ...others]);
});

const { metadata, spec } = {
  metadata: { namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
};

async function createPod(name: string, more: { spec?: object; metadata?: object } = {}): Promise<void> {
  await client.resource('v1/pods').create({
    metadata: { ...metadata, name, ...more.metadata },
    spec: { ...spec, nodeName: 'sim-0', ...more.spec },
  } as Pod);
  await server.ctx.clock.advance(10);
}

const get = (name: string): Promise<Pod> => client.resource('v1/pods').get({ namespace: 'default', name });
const condition = (pod: Pod, type: string): string | undefined =>
  pod.status?.conditions?.find((c) => c.type === type)?.status;

describe('nodes', () => {
  it('register as Ready, with room, and renew their leases for as long as they are not silent', async () => {
    await server.ctx.clock.drive(
      nodes.add({
        count: 3,
        prefix: 'labelled',
        template: (index) => ({ labels: { zone: `z${index}` }, capacity: { cpu: '4' } }),
      }),
    );
    const { items } = await client.resource('v1/nodes').list({ labelSelector: 'zone' });
    expect(
      items.map(({ metadata: { name, labels }, status }) => [
        name,
        labels?.['zone'],
        status?.allocatable?.['cpu'],
        status?.conditions?.find((c) => c.type === 'Ready')?.status,
      ]),
    ).toEqual([
      ['labelled-0', 'z0', '4', 'True'],
      ['labelled-1', 'z1', '4', 'True'],
      ['labelled-2', 'z2', '4', 'True'],
    ]);
    const renewed = async (name: string): Promise<string | undefined> =>
      (await client.resource('coordination.k8s.io/v1/leases').get({ namespace: 'kube-node-lease', name })).spec
        ?.renewTime;
    const first = [await renewed('labelled-0'), await renewed('labelled-1')];
    nodes.silence('labelled-1');
    await server.ctx.clock.advance(25_000);
    expect(await renewed('labelled-0')).not.toBe(first[0]);
    expect(await renewed('labelled-1')).toBe(first[1]);
  });

  it('can be given extended resources', async () => {
    const patch = { status: { capacity: { 'example.com/dongle': '4' } } };
    const node = await client
      .resource('v1/nodes')
      .patch({ name: 'sim-0' }, patch, { type: 'merge', subresource: 'status' });
    expect(node.status?.allocatable?.['example.com/dongle']).toBeUndefined();
    await server.ctx.clock.advance(100);
    const { status } = await client.resource('v1/nodes').get({ name: 'sim-0' });
    expect(status?.allocatable?.['example.com/dongle']).toBe('4');
  });

  it('are removed with their name, which can be used again', async () => {
    await server.ctx.clock.drive(nodes.add({ count: 1, prefix: 'short' }));
    await nodes.remove('short-0');
    await expect(client.resource('v1/nodes').get({ name: 'short-0' })).rejects.toMatchObject({ code: 404 });
    expect(await server.ctx.clock.drive(nodes.add({ count: 1, prefix: 'short' }))).toEqual(['short-0']);
  });

  it('run the pods that were bound to them before they registered', async () => {
    await createPod('early', { spec: { nodeName: 'late-0' } });
    await server.ctx.clock.drive(nodes.add({ count: 1, prefix: 'late' }));
    await server.ctx.clock.advance(2_000);
    expect((await get('early')).status?.phase).toBe('Running');
  });
});

describe('a pod', () => {
  it('runs and is ready, with the status of a kubelet', async () => {
    await createPod('plain', { spec: { initContainers: [{ name: 'prepare', image: 'init:1' }] } });
    const { status } = await get('plain');
    expect(status).toMatchObject({
      observedGeneration: 1,
      phase: 'Running',
      hostIP: '198.18.0.0',
      initContainerStatuses: [{ name: 'prepare', state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
      containerStatuses: [
        { name: 'main', ready: true, started: true, restartCount: 0, image: 'web:1', state: { running: {} } },
      ],
    });
    expect(status?.podIP).toMatch(/^100\.64\./);
    expect(
      status?.conditions?.map(({ type, status: holds, observedGeneration }) => [type, holds, observedGeneration]),
    ).toEqual(
      ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => [
        type,
        'True',
        1,
      ]),
    );
  });

  it.each<[string, PodScript, number, Partial<Record<string, unknown>>]>([
    [
      'waits before it starts',
      { startAfter: '5s' },
      4000,
      { phase: 'Pending', ready: 'False', waiting: 'ContainerCreating' },
    ],
    ['has started after that', { startAfter: '5s' }, 5000, { phase: 'Running', ready: 'True' }],
    ['runs before it is ready', { readyAfter: '10s' }, 9000, { phase: 'Running', ready: 'False' }],
    ['is ready after that', { readyAfter: '10s' }, 10_000, { phase: 'Running', ready: 'True' }],
    ['is never ready', { readyAfter: false }, 600_000, { phase: 'Running', ready: 'False' }],
    [
      'cannot pull its image',
      { imagePullError: 'no such image' },
      0,
      { phase: 'Pending', ready: 'False', waiting: 'ErrImagePull' },
    ],
    ['is started again after its first crash', { runFor: '1s', exitCode: 3 }, 1500, { phase: 'Running', restarts: 1 }],
    [
      'backs off after its second',
      { runFor: '1s', exitCode: 3 },
      2500,
      { phase: 'Running', restarts: 2, waiting: 'CrashLoopBackOff' },
    ],
  ])('%s', async (title, script, afterMs, expected) => {
    undo.push(nodes.simulate(() => script));
    const name = title.replaceAll(' ', '-');
    await createPod(name);
    await server.ctx.clock.advance(afterMs);
    const pod = await get(name);
    const [container] = pod.status?.containerStatuses ?? [];
    const seen = {
      phase: pod.status?.phase,
      ready: condition(pod, 'Ready'),
      waiting: container?.state?.waiting?.reason,
      restarts: container?.restartCount,
    };
    expect(seen).toMatchObject(expected);
  });

  it('says why it is not ready, and nothing any more once it is', async () => {
    undo.push(nodes.simulate(() => ({ readyAfter: '10s' })));
    await createPod('late-to-be-ready');
    await server.ctx.clock.advance(5000);
    const conditions = async () => (await get('late-to-be-ready')).status?.conditions ?? [];
    const why = { reason: 'ContainersNotReady', message: 'containers with unready status: [main]' };
    expect((await conditions()).filter(({ status }) => status === 'False')).toMatchObject([why, why]);
    await server.ctx.clock.advance(10_000);
    expect((await conditions()).filter((c) => c.status !== 'True' || c.reason || c.message)).toEqual([]);
  });

  it('names every readiness gate that keeps it from being ready', async () => {
    const readinessGates = [{ conditionType: 'example.com/a' }, { conditionType: 'example.com/b' }];
    await createPod('gated-twice', { spec: { readinessGates } });
    const ready = async () => (await get('gated-twice')).status?.conditions?.find(({ type }) => type === 'Ready');
    const missing = (name: string): string => `corresponding condition of pod readiness gate "${name}" does not exist.`;
    expect((await ready())?.message).toBe(`${missing('example.com/a')}, ${missing('example.com/b')}`);
    const conditions = [{ type: 'example.com/a', status: 'False' }];
    await client
      .resource('v1/pods')
      .patch(
        { namespace: 'default', name: 'gated-twice' },
        { status: { conditions } },
        { type: 'strategic', subresource: 'status' },
      );
    await server.ctx.clock.advance(2000);
    expect((await ready())?.message).toBe(
      `the status of pod readiness gate "example.com/a" is not "True", but False, ${missing('example.com/b')}`,
    );
  });

  it.each<[string, string, PodScript, string]>([
    ['Succeeded', 'Never', { runFor: '2s' }, 'Succeeded'],
    ['Failed', 'Never', { runFor: '2s', exitCode: 1 }, 'Failed'],
    ['Succeeded on failure only', 'OnFailure', { runFor: '2s' }, 'Succeeded'],
  ])('ends as %s with restart policy %s', async (_, restartPolicy, script, phase) => {
    undo.push(nodes.simulate(() => script));
    const name = `finite-${restartPolicy}-${phase}`.toLowerCase();
    await createPod(name, { spec: { restartPolicy } });
    await server.ctx.clock.advance(3000);
    expect((await get(name)).status?.phase).toBe(phase);
  });

  it('is deleted within its grace period', async () => {
    undo.push(nodes.simulate(() => ({ stopAfter: '1h' })));
    await createPod('slow', { spec: { terminationGracePeriodSeconds: 20 } });
    await client.resource('v1/pods').delete({ namespace: 'default', name: 'slow' });
    await server.ctx.clock.advance(19_000);
    expect((await get('slow')).metadata.deletionTimestamp).toBeDefined();
    await server.ctx.clock.advance(2000);
    await expect(get('slow')).rejects.toMatchObject({ code: 404 });
  });

  it('with a finalizer shows how it ended', async () => {
    await createPod('held', { metadata: { finalizers: ['example.com/hold'] } });
    await client.resource('v1/pods').delete({ namespace: 'default', name: 'held' });
    await server.ctx.clock.advance(1000);
    expect((await get('held')).status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 143 } } }],
    });
  });

  it('follows an asynchronous behaviour, and leaves other pods to the earlier one', async () => {
    const behaviour: PodBehaviour = (pod) => {
      if (!pod.name.startsWith('acting')) return undefined;
      return (async () => {
        await pod.sleep('1s');
        pod.start();
        pod.log('hello');
        await pod.sleep('1s');
        pod.ready();
        await pod.sleep('1s');
        pod.exit(7);
      })();
    };
    undo.push(nodes.simulate(behaviour));
    await createPod('acting', { spec: { restartPolicy: 'Never' } });
    await createPod('other');
    expect([(await get('acting')).status?.phase, (await get('other')).status?.phase]).toEqual(['Pending', 'Running']);
    await server.ctx.clock.advance(2500);
    expect(condition(await get('acting'), 'Ready')).toBe('True');
    await server.ctx.clock.advance(1000);
    expect((await get('acting')).status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 7,
      reason: 'Error',
    });
  });

  it('obeys the script of its annotation', async () => {
    await createPod('annotated', {
      metadata: { annotations: { [BEHAVIOUR_ANNOTATION]: '{"runFor": "1s", "exitCode": 4}' } },
      spec: { restartPolicy: 'Never' },
    });
    await server.ctx.clock.advance(2000);
    expect((await get('annotated')).status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(4);
  });

  it('runs ephemeral containers until it has finished', async () => {
    undo.push(nodes.simulate(() => ({ runFor: '10s' })));
    await createPod('debugged', { spec: { restartPolicy: 'Never' } });
    await client
      .resource('v1/pods')
      .patch(
        { namespace: 'default', name: 'debugged' },
        { spec: { ephemeralContainers: [{ name: 'debugger', image: 'busybox' }] } },
        { type: 'strategic', subresource: 'ephemeralcontainers' },
      );
    await server.ctx.clock.advance(1_000);
    const [running] = (await get('debugged')).status?.ephemeralContainerStatuses ?? [];
    expect(running).toMatchObject({ name: 'debugger', ready: false, state: { running: {} } });
    expect(condition(await get('debugged'), 'Ready')).toBe('True');
    await server.ctx.clock.advance(10_000);
    const { status } = await get('debugged');
    expect(status?.phase).toBe('Succeeded');
    expect(status?.ephemeralContainerStatuses?.[0]?.state).toMatchObject({ terminated: { exitCode: 143 } });
  });

  it('is not ready before its readiness probe would be sent', async () => {
    const readinessProbe = { httpGet: { path: '/', port: 80 }, initialDelaySeconds: 20 };
    await createPod('probed', { spec: { containers: [{ name: 'main', image: 'web:1', readinessProbe }] } });
    await server.ctx.clock.advance(19_000);
    expect(condition(await get('probed'), 'Ready')).toBe('False');
    await server.ctx.clock.advance(1_000);
    expect(condition(await get('probed'), 'Ready')).toBe('True');
  });

  it('is not ready before its readiness gates are open', async () => {
    await createPod('gated', { spec: { readinessGates: [{ conditionType: 'example.com/open' }] } });
    expect(condition(await get('gated'), 'Ready')).toBe('False');
    await client
      .resource('v1/pods')
      .patch(
        { namespace: 'default', name: 'gated' },
        { status: { conditions: [{ type: 'example.com/open', status: 'True' }] } },
        { type: 'strategic', subresource: 'status' },
      );
    await server.ctx.clock.advance(1000);
    expect(condition(await get('gated'), 'Ready')).toBe('True');
  });

  it('ends when it has been active for too long', async () => {
    await createPod('limited', { spec: { activeDeadlineSeconds: 5 } });
    await server.ctx.clock.advance(6000);
    expect((await get('limited')).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });
});

describe('without a behaviour', () => {
  const container = (name: string, ...command: string[]): object => ({ name, image: 'web:1', command });

  it('containers follow their commands, each separately', async () => {
    const containers = [container('a', 'sleep', '5'), container('b', 'sh', '-c', 'echo hello; exit 3')];
    await createPod('commands', { spec: { containers, restartPolicy: 'Never' } });
    const states = async (): Promise<unknown[]> =>
      ((await get('commands')).status?.containerStatuses ?? []).map(({ state }) => Object.keys(state!)[0]);
    expect(await states()).toEqual(['running', 'terminated']);
    await server.ctx.clock.advance(5100);
    const { status } = await get('commands');
    expect(status?.phase).toBe('Failed');
    expect(status?.containerStatuses?.map(({ state }) => state?.terminated?.exitCode)).toEqual([0, 3]);
  });

  it('a failed container is restarted while another one continues', async () => {
    const containers = [container('a', 'sleep', '100'), container('b', 'sh', '-c', 'sleep 1; false')];
    await createPod('mixed', { spec: { containers, restartPolicy: 'OnFailure' } });
    await server.ctx.clock.advance(30_000);
    const restarts = async (): Promise<unknown[]> =>
      ((await get('mixed')).status?.containerStatuses ?? []).map(({ restartCount }) => restartCount);
    const [first, second] = await restarts();
    expect([first, Number(second) >= 2]).toEqual([0, true]);
    await server.ctx.clock.advance(80_000);
    expect((await get('mixed')).status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0 });
  });

  it('a container with an image that does not exist waits for ever', async () => {
    await createPod('bad-image', { spec: { containers: [{ name: 'a', image: 'webserver:404' }] } });
    await server.ctx.clock.advance(60_000);
    const { status } = await get('bad-image');
    expect(status?.phase).toBe('Pending');
    expect(status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ErrImagePull');
  });

  it('a pod that is too large for its node is refused', async () => {
    const resources = { requests: { cpu: '17' } };
    await createPod('large', { spec: { containers: [{ name: 'a', image: 'web:1', resources }] } });
    expect((await get('large')).status).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 17000, used: 0, capacity: 16000",
    });
    expect((await get('large')).status?.containerStatuses).toBeUndefined();
  });

  it('a pod that is deleted takes a moment to stop', async () => {
    await createPod('stopping');
    const pods = client.resource('v1/pods');
    await pods.delete({ namespace: 'default', name: 'stopping' });
    await server.ctx.clock.advance(100);
    expect((await get('stopping')).metadata.deletionTimestamp).toBeDefined();
    await server.ctx.clock.advance(1000);
    await expect(get('stopping')).rejects.toMatchObject({ code: 404 });
  });

  it('is ready again when somebody else has written that it is not', async () => {
    await createPod('contradicted');
    const pod = await get('contradicted');
    const conditions = pod.status!.conditions!.map((one) => (one.type === 'Ready' ? { ...one, status: 'False' } : one));
    const written = await client.resource('v1/pods').updateStatus({ ...pod, status: { ...pod.status, conditions } });
    expect(condition(written, 'Ready')).toBe('False');
    await server.ctx.clock.advance(100);
    expect(condition(await get('contradicted'), 'Ready')).toBe('True');
  });

  it('the kubelet lists the running pods, and counts them', async () => {
    await createPod('counted');
    const { items } = JSON.parse(nodes.read('sim-0', '/runningpods/')!) as { items: Pod[] };
    expect(items.map(({ metadata: { name } }) => name)).toContain('counted');
    expect(nodes.read('sim-0', '/metrics')).toContain(`kubelet_running_pods ${items.length}\n`);
  });
});

it('watches pods from the first node on, and finds those that were created before', async () => {
  const watched: string[] = [];
  const transport = inProcessTransport({
    handle: server.pipeline.handle,
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    signal: server.ctx.signal,
  });
  const watch: typeof transport.watch = (request) => {
    watched.push(request.path);
    return transport.watch(request);
  };
  const reader = new Client({ transport: { ...transport, watch }, clock: server.ctx.clock });
  const late = new SimulatedNodes(server.ctx, { ...options, reader });
  const lateRunning = late.run();
  await createPod('before-its-node', { spec: { nodeName: 'first-0' } });
  await server.ctx.clock.advance(1000);
  expect(watched).toEqual(['/api/v1/nodes']);
  await server.ctx.clock.drive(late.add({ count: 1, prefix: 'first' }));
  await server.ctx.clock.advance(1000);
  expect(watched).toEqual(['/api/v1/nodes', '/api/v1/pods']);
  expect((await get('before-its-node')).status?.phase).toBe('Running');
  await server.ctx.clock.drive(late.remove('first-0'));
  others.push(lateRunning);
});

it('takes over the nodes and pods of an earlier process', async () => {
  undo.push(nodes.simulate(() => ({ runFor: '1m' })));
  await createPod('survivor', { spec: { restartPolicy: 'Never' } });
  await createPod('ahead', { spec: { restartPolicy: 'Never' } });
  const second = new SimulatedNodes(server.ctx, options);
  second.simulate(() => ({ runFor: '1m' }));
  nodes.silence('sim-0');
  await createPod('newcomer');
  // The clock of the earlier process was an hour ahead.
  const startedAt = new Date(server.ctx.clock.now() + 3_600_000).toISOString();
  const status = { containerStatuses: [{ name: 'main', state: { running: { startedAt } } }] };
  await client
    .resource('v1/pods')
    .patch({ namespace: 'default', name: 'ahead' }, { status }, { type: 'strategic', subresource: 'status' });
  await server.ctx.clock.drive(second.adopt());
  const secondRunning = second.run();
  await server.ctx.clock.advance(30_000);
  expect((await get('survivor')).status?.phase).toBe('Running');
  expect(second.names).toContain('sim-0');
  // The list has the newcomer first: its address must not be the survivor's nevertheless.
  const addresses = [await get('newcomer'), await get('survivor')].map(({ status }) => status?.podIP);
  expect(addresses.every(Boolean)).toBe(true);
  expect(new Set(addresses).size).toBe(2);
  await server.ctx.clock.advance(31_000);
  expect((await get('survivor')).status?.phase).toBe('Succeeded');
  expect((await get('ahead')).status?.phase).toBe('Succeeded');
  server.ctx.stop();
  await secondRunning;
});
