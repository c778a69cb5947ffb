import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Node } from '../api/generated/core-v1.ts';
import { GrpcError } from '../grpc/index.ts';
import { makePod, NODE, startKubeletFixture, type KubeletFixture } from './testing/index.ts';

let f: KubeletFixture;

beforeEach(async () => {
  f = await startKubeletFixture();
});
afterEach(async () => {
  await f.stop();
});

describe('the node', () => {
  it('makes extended resources allocatable that were added to the capacity', async () => {
    await f.start();
    const nodes = f.client.resource('v1/nodes');
    const patch = { status: { capacity: { 'example.com/dongle': '4' } } };
    await nodes.patch({ name: NODE }, patch, { type: 'merge', subresource: 'status' });
    const dongles = async () => (await nodes.get({ name: NODE })).status?.allocatable?.['example.com/dongle'];
    await f.until('allocatable', async () => (await dongles()) === '4', 11_000);
    const { resourceVersion } = (await nodes.get({ name: NODE })).metadata;
    await f.advance(21_000);
    expect((await nodes.get({ name: NODE })).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('registers, is ready, and keeps its lease', async () => {
    await f.start();
    let node: Node | undefined;
    const conditions = () => node?.status?.conditions?.map(({ type, status }) => `${type}=${status}`) ?? [];
    await f.until('Ready', async () => {
      node = await f.client.resource('v1/nodes').get({ name: NODE });
      return conditions().includes('Ready=True');
    });
    expect(conditions()).toEqual(['MemoryPressure=False', 'DiskPressure=False', 'PIDPressure=False', 'Ready=True']);
    expect(node?.status?.capacity).toMatchObject({ cpu: '2', memory: '8Gi', pods: '110' });
    expect(node?.status?.nodeInfo?.containerRuntimeVersion).toBe('fake://1.0');
    expect(node?.metadata.labels).toMatchObject({ 'kubernetes.io/hostname': NODE, 'kubernetes.io/os': 'linux' });
    const lease = async () =>
      f.client.resource('coordination.k8s.io/v1/leases').get({ namespace: 'kube-node-lease', name: NODE });
    const first = (await lease()).spec?.renewTime;
    await f.advance(11_000);
    expect((await lease()).spec?.renewTime).not.toBe(first);
  });
});

describe('a pod', () => {
  it('runs, and has the status', async () => {
    await f.start();
    await f.create(makePod('a'));
    const pod = await f.untilPhase('a', 'Running');
    expect(pod.status).toMatchObject({
      hostIP: '192.0.2.10',
      podIP: '10.1.0.1',
      qosClass: 'BestEffort',
      observedGeneration: 1,
    });
    expect(pod.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({
      name: 'main',
      ready: true,
      started: true,
      restartCount: 0,
      containerID: expect.stringMatching(/^fake:\/\/container-/) as string,
    });
    await f.advance(100);
    expect(await f.events('a')).toEqual([
      'Pulled: Container image "busybox" already present on machine and can be accessed by the pod',
      'Created: Container created',
      'Started: Container started',
    ]);
  });

  it('is ready again after another has written that it is not, and is then left alone', async () => {
    await f.start();
    await f.create(makePod('a'));
    await f.untilPhase('a', 'Running');
    const pods = f.client.resource('v1/pods');
    const [at, readiness] = [{ namespace: 'default', name: 'a' }, ['Ready', 'ContainersReady']];
    const get = () => pods.get(at);
    const states = async () =>
      (await get()).status?.conditions?.filter(({ type }) => readiness.includes(type)).map(({ status }) => status);
    // As the node lifecycle controller does while the node is not reachable.
    const conditions = readiness.map((type) => ({ type, status: 'False', reason: 'NodeNotReady' }));
    await pods.patch(at, { status: { conditions } }, { type: 'strategic', subresource: 'status' });
    await f.until('ready', async () => (await states())?.every((status) => status === 'True') === true, 5000);
    expect((await get()).status?.conditions?.some(({ reason }) => reason === 'NodeNotReady')).toBe(false);
    // Conditions of others are theirs, and at rest nothing is written.
    const gate = [{ type: 'example.com/gate', status: 'False' }];
    await pods.patch(at, { status: { conditions: gate } }, { type: 'strategic', subresource: 'status' });
    await f.advance(1000);
    const { resourceVersion } = (await get()).metadata;
    await f.advance(30_000);
    expect((await get()).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('is stopped within its grace period and removed', async () => {
    await f.start();
    await f.create(makePod('a', { terminationGracePeriodSeconds: 7 }));
    await f.untilPhase('a', 'Running');
    await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'a' });
    await f.until(
      'the pod is gone',
      async () => (await f.client.resource('v1/pods').list({ namespace: 'default' })).items.length === 0,
    );
    await f.until('the runtime is empty', () => f.runtime.sandboxes.size === 0);
    expect(f.runtime.calls).toContain('StopContainer main 7');
    expect(await f.events('a')).toContain('Killing: Stopping container main');
  });

  it('backs off when it crashes: at once, 10 s, 20 s', async () => {
    f.runtime.scripts.set('main', { exitAfterMs: 100, exitCode: 3 });
    await f.start();
    await f.create(makePod('a'));
    const restarts = async () => (await f.pod('a')).status?.containerStatuses?.[0]?.restartCount;
    await f.until('restarted once', async () => (await restarts()) === 1, 2000);
    await f.until(
      'backing off',
      async () => (await f.pod('a')).status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff',
      2000,
    );
    const pod = await f.pod('a');
    expect(pod.status?.phase).toBe('Running');
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toMatch(
      /^back-off 10s restarting failed container=main pod=a_default\(.*\)$/,
    );
    expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    await f.advance(8000);
    expect(await restarts()).toBe(1);
    await f.until('restarted twice', async () => (await restarts()) === 2, 4000);
    await f.advance(18_000);
    expect(await restarts()).toBe(2);
    await f.until('restarted a third time', async () => (await restarts()) === 3, 4000);
  });

  it.each([
    ['Never', 0, 'Succeeded'],
    ['Never', 1, 'Failed'],
    ['OnFailure', 0, 'Succeeded'],
  ])('with restartPolicy %s that exits with %i is %s', async (restartPolicy, exitCode, phase) => {
    f.runtime.scripts.set('main', { exitAfterMs: 50, exitCode });
    await f.start();
    await f.create(makePod('a', { restartPolicy }));
    const pod = await f.untilPhase('a', phase);
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode });
    expect(pod.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('survives a restart of the kubelet untouched', async () => {
    await f.start();
    await f.create(makePod('a'));
    const before = await f.untilPhase('a', 'Running');
    await f.stopKubelet();
    const calls = f.runtime.calls.length;
    await f.start();
    await f.advance(5000);
    expect(f.runtime.calls.slice(calls)).toEqual([]);
    expect((await f.pod('a')).status).toEqual(before.status);
  });

  it('is started when the kubelet died between making and starting its container', async () => {
    f.runtime.failures.set('StartContainer main', new GrpcError('UNAVAILABLE', 'gone'));
    await f.start();
    await f.create(makePod('a'));
    await f.until('it was made', () => f.runtime.calls.includes('StartContainer main'));
    await f.stopKubelet();
    f.runtime.failures.clear();
    await f.start();
    await f.untilPhase('a', 'Running', 20_000);
    expect(f.runtime.containers.size).toBe(1);
  });

  it('that was deleted while no kubelet ran is ended', async () => {
    await f.start();
    await f.create(makePod('a'));
    await f.untilPhase('a', 'Running');
    await f.stopKubelet();
    await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
    await f.start();
    await f.until('the runtime is empty', () => f.runtime.sandboxes.size === 0 && f.runtime.containers.size === 0);
  });

  it('gets a new sandbox when its sandbox dies', async () => {
    await f.start();
    await f.create(makePod('a'));
    await f.untilPhase('a', 'Running');
    f.runtime.breakSandbox('a');
    await f.until(
      'restarted',
      async () =>
        (await f.pod('a')).status?.containerStatuses?.[0]?.restartCount === 1 &&
        (await f.pod('a')).status?.podIP === '10.1.0.2',
    );
    expect(await f.events('a')).toContain('SandboxChanged: Pod sandbox changed, it will be killed and re-created.');
  });
});

describe('images', () => {
  it('are pulled, and failures back off', async () => {
    await f.start();
    await f.create(makePod('a', { containers: [{ name: 'main', image: 'missing:1' }] }));
    const reason = async () => (await f.pod('a')).status?.containerStatuses?.[0]?.state?.waiting?.reason;
    await f.until('it failed', async () => (await reason()) === 'ErrImagePull', 3000);
    await f.until('it backs off', async () => (await reason()) === 'ImagePullBackOff', 20_000);
    f.runtime.pullable.set('missing:1', { id: 'sha256:missing', size: 12 });
    await f.untilPhase('a', 'Running', 60_000);
    const events = await f.events('a');
    expect(events).toContain('Failed: Error: ErrImagePull');
    expect(events).toContain('BackOff: Back-off pulling image "missing:1"');
    expect(events.find((event) => event.startsWith('Pulled'))).toMatch(
      /^Pulled: Successfully pulled image "missing:1" in .* \(.* including waiting\)\. Image size: 12 bytes\.$/,
    );
  });

  it.each([
    ['never pulled', { image: 'missing:1', imagePullPolicy: 'Never' }, 'ErrImageNeverPull'],
    ['with a bad name', { image: 'UPPER CASE' }, 'InvalidImageName'],
  ])('%s', async (_, container, reason) => {
    await f.start();
    await f.create(makePod('a', { containers: [{ name: 'main', ...container }] }));
    await f.until(
      reason,
      async () => (await f.pod('a')).status?.containerStatuses?.[0]?.state?.waiting?.reason === reason,
      5000,
    );
  });
});
