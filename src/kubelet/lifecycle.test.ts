import fs from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pod, PodCondition } from '../api/generated/core-v1.ts';
import { makePod, startKubeletFixture, type KubeletFixture } from './testing/index.ts';

let f: KubeletFixture;

beforeEach(async () => {
  f = await startKubeletFixture();
});
afterEach(async () => {
  await f.stop();
});

const main = { name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent' };

describe('a container whose image changes', () => {
  it('is replaced, and the pod stays ready meanwhile', async () => {
    await f.start();
    await f.create(makePod('a', { containers: [main] }));
    await f.untilPhase('a', 'Running');
    const pods = f.client.resource('v1/pods');
    const place = { namespace: 'default', name: 'a' };
    const before = await pods.get(place);
    const stop = new AbortController();
    const ready: (string | undefined)[] = [];
    const watching = (async () => {
      const options = { namespace: 'default', resourceVersion: before.metadata.resourceVersion!, signal: stop.signal };
      for await (const { object } of pods.watch(options))
        ready.push((object as Pod).status?.conditions?.find(({ type }) => type === 'Ready')?.status);
    })().catch(() => {});
    f.runtime.addImage('busybox:2');
    await pods.patch(place, { spec: { containers: [{ name: 'main', image: 'busybox:2' }] } }, { type: 'strategic' });
    await f.until('the container is replaced', async () => {
      const [status] = (await pods.get(place)).status?.containerStatuses ?? [];
      return status?.restartCount === 1 && status.state?.running !== undefined;
    });
    stop.abort();
    await watching;
    expect(new Set(ready)).toEqual(new Set(['True']));
  });
});

describe('admission', () => {
  it.each([
    [
      'too much CPU',
      { containers: [{ ...main, resources: { requests: { cpu: '3' } } }] },
      'OutOfcpu',
      "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000",
    ],
    [
      'another node',
      { nodeSelector: { zone: 'mars' } },
      'NodeAffinity',
      "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      'a sysctl',
      { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
      'SysctlForbidden',
      'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
    ],
  ])('refuses %s', async (_, spec, reason, message) => {
    await f.start();
    await f.create(makePod('a', spec));
    const pod = await f.untilPhase('a', 'Failed');
    // Nothing of containers: clients would show a reason of theirs instead of this one.
    expect(pod.status).toEqual({
      phase: 'Failed',
      reason,
      message,
      observedGeneration: 1,
      qosClass: pod.status?.qosClass,
      startTime: pod.status?.startTime,
    });
    expect(f.runtime.sandboxes.size).toBe(0);
  });

  it('refuses a host port in use, and accepts it when it is free', async () => {
    await f.start();
    const spec = { containers: [{ ...main, ports: [{ containerPort: 80, hostPort: 8080 }] }] };
    await f.create(makePod('a', spec));
    await f.untilPhase('a', 'Running');
    await f.create(makePod('b', spec));
    expect((await f.untilPhase('b', 'Failed')).status?.reason).toBe('NodePorts');
    await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'a' }, { gracePeriodSeconds: 1 });
    await f.until(
      'a is gone',
      async () =>
        (await f.client.resource('v1/pods').list({ namespace: 'default', fieldSelector: 'metadata.name=a' })).items
          .length === 0,
    );
    await f.create(makePod('c', spec));
    await f.untilPhase('c', 'Running');
  });

  it('preempts pods for critical pods', async () => {
    await f.start();
    await f.create(makePod('small', { containers: [{ ...main, resources: { requests: { cpu: '1500m' } } }] }));
    await f.untilPhase('small', 'Running');
    const critical = makePod('critical', {
      priorityClassName: 'system-node-critical',
      containers: [{ ...main, resources: { requests: { cpu: '1' } } }],
    });
    await f.create(critical);
    expect((await f.untilPhase('small', 'Failed')).status?.reason).toBe('Preempting');
    await f.untilPhase('critical', 'Running');
  });
});

describe('the life of a pod', () => {
  it('is limited by its deadline', async () => {
    await f.start();
    await f.create(makePod('a', { activeDeadlineSeconds: 30, terminationGracePeriodSeconds: 1 }));
    await f.untilPhase('a', 'Running');
    await f.advance(25_000);
    expect((await f.pod('a')).status?.phase).toBe('Running');
    const pod = await f.untilPhase('a', 'Failed', 10_000);
    expect(pod.status).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
  });

  it('ends with its preStop hook, within the grace period', async () => {
    await f.start();
    await f.create(
      makePod('a', {
        terminationGracePeriodSeconds: 10,
        containers: [{ ...main, lifecycle: { preStop: { sleep: { seconds: 4 } } } }],
      }),
    );
    await f.untilPhase('a', 'Running');
    await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'a' });
    await f.advance(3000);
    expect(f.runtime.calls.some((call) => call.startsWith('StopContainer'))).toBe(false);
    await f.until('it is stopped', () => f.runtime.calls.includes('StopContainer main 6'), 5000);
  });

  it('is probed to its end, so that it may become unready', async () => {
    f.runtime.scripts.set('main', { stopMs: Infinity });
    let exitCode = 0;
    f.runtime.exec = () => Promise.resolve({ exitCode });
    await f.start();
    const readinessProbe = { exec: { command: ['ready'] }, periodSeconds: 1, failureThreshold: 1 };
    await f.create(makePod('a', { terminationGracePeriodSeconds: 600, containers: [{ ...main, readinessProbe }] }));
    const conditions = async (): Promise<readonly PodCondition[]> =>
      (await f.pod('a')).status?.conditions?.filter(({ type }) => ['Ready', 'ContainersReady'].includes(type)) ?? [];
    const ready = async () => (await conditions())[0]?.status;
    await f.until('it is ready', async () => (await ready()) === 'True');
    await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'a' });
    await f.advance(5000);
    expect(await ready()).toBe('True');
    exitCode = 1;
    await f.until('it is not ready', async () => (await ready()) === 'False', 10_000);
    const why = { reason: 'ContainersNotReady', message: 'containers with unready status: [main]' };
    expect(await conditions()).toMatchObject([why, why]);
    exitCode = 0;
    await f.until('it is ready again', async () => (await ready()) === 'True', 10_000);
    expect((await conditions()).filter((condition) => 'reason' in condition || 'message' in condition)).toEqual([]);
    expect(f.runtime.calls.filter((call) => call.startsWith('StopContainer'))).toEqual(['StopContainer main 600']);
  });

  it('is shortened by a shorter grace period', async () => {
    f.runtime.scripts.set('main', { stopMs: Infinity });
    await f.start();
    await f.create(makePod('a', { terminationGracePeriodSeconds: 600 }));
    await f.untilPhase('a', 'Running');
    const pods = f.client.resource('v1/pods');
    await pods.delete({ namespace: 'default', name: 'a' });
    await f.advance(5000);
    await pods.delete({ namespace: 'default', name: 'a' }, { gracePeriodSeconds: 3 });
    await f.until('it is gone', async () => (await pods.list({ namespace: 'default' })).items.length === 0, 10_000);
    expect(f.runtime.calls.filter((call) => call.startsWith('StopContainer'))).toEqual([
      'StopContainer main 600',
      'StopContainer main 3',
    ]);
  });

  it('is ready when its readiness gates are', async () => {
    await f.start();
    await f.create(makePod('a', { readinessGates: [{ conditionType: 'example.com/ready' }] }));
    await f.untilPhase('a', 'Running');
    const ready = async () => (await f.pod('a')).status?.conditions?.find(({ type }) => type === 'Ready');
    expect(await ready()).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "example.com/ready" does not exist.',
    });
    await f.client
      .resource('v1/pods')
      .patch(
        { namespace: 'default', name: 'a' },
        { status: { conditions: [{ type: 'example.com/ready', status: 'True' }] } },
        { type: 'strategic', subresource: 'status' },
      );
    await f.until('it is ready', async () => (await ready())?.status === 'True', 5000);
    const condition = await ready();
    expect([condition?.reason, condition?.message]).toEqual([undefined, undefined]);
  });

  it('runs init containers and sidecars in order', async () => {
    f.runtime.scripts.set('one', { exitAfterMs: 100 }).set('two', { exitAfterMs: 100 });
    await f.start();
    await f.create(
      makePod('a', {
        restartPolicy: 'Never',
        initContainers: [
          { ...main, name: 'one' },
          { ...main, name: 'side', restartPolicy: 'Always' },
          { ...main, name: 'two' },
        ],
      }),
    );
    await f.untilPhase('a', 'Running');
    expect(f.runtime.calls.filter((call) => call.startsWith('StartContainer'))).toEqual([
      'StartContainer one',
      'StartContainer side',
      'StartContainer two',
      'StartContainer main',
    ]);
    f.runtime.exit(f.runtime.container('a', 'main'), 0);
    await f.untilPhase('a', 'Succeeded');
    expect(f.runtime.container('a', 'side').status.state).toBe('CONTAINER_EXITED');
  });

  it('waits for its volumes', async () => {
    await f.start();
    await f.create(
      makePod('a', {
        volumes: [{ name: 'v', configMap: { name: 'later' } }],
        containers: [{ ...main, volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      }),
    );
    await f.until('it fails', async () =>
      (await f.events('a')).some(
        (event) => event === 'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "later" not found',
      ),
    );
    await f.client.resource('v1/configmaps').create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'later', namespace: 'default' },
      data: { a: '1' },
    });
    await f.untilPhase('a', 'Running', 10_000);
  });

  it('is resized, or put off until there is room', async () => {
    await f.start();
    const resources = (cpu: string) => ({ requests: { cpu }, limits: { cpu: '4' } });
    await f.create(makePod('a', { containers: [{ ...main, resources: resources('500m') }] }));
    await f.create(
      makePod('b', { terminationGracePeriodSeconds: 1, containers: [{ ...main, resources: resources('1') }] }),
    );
    await f.untilPhase('a', 'Running');
    await f.untilPhase('b', 'Running');
    const resize = (cpu: string) =>
      f.client
        .resource('v1/pods')
        .patch(
          { namespace: 'default', name: 'a' },
          { spec: { containers: [{ name: 'main', resources: resources(cpu) }] } },
          { type: 'strategic', subresource: 'resize' },
        );
    const pending = async () =>
      (await f.pod('a')).status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason;
    const granted = async () => (await f.pod('a')).status?.containerStatuses?.[0]?.allocatedResources?.['cpu'];
    await resize('800m');
    await f.until('it is granted', async () => (await granted()) === '800m', 5000);
    expect(f.runtime.calls.filter((call) => call === 'UpdateContainerResources main')).toHaveLength(1);
    await resize('1500m');
    await f.until('it is put off', async () => (await pending()) === 'Deferred', 5000);
    await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'b' });
    await f.until(
      'it is granted when there is room',
      async () => (await granted()) === '1500m' && (await pending()) === undefined,
      10_000,
    );
    const summary = (cpu: string, generation: number, error = '') =>
      `{"containers":[{"name":"main","resources":{"limits":{"cpu":"4"},"requests":{"cpu":"${cpu}"}}}],"generation":${generation}${error}}`;
    const events = async () => (await f.events('a')).filter((event) => event.startsWith('Resize'));
    await f.until('all is told', async () => (await events()).length === 5, 5000);
    expect(await events()).toEqual([
      `ResizeStarted: Pod resize started: ${summary('800m', 2)}`,
      `ResizeCompleted: Pod resize completed: ${summary('800m', 2)}`,
      `ResizeDeferred: Pod resize Deferred: ${summary('1500m', 3, `,"error":"Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000"`)}`,
      `ResizeStarted: Pod resize started: ${summary('1500m', 3)}`,
      `ResizeCompleted: Pod resize completed: ${summary('1500m', 3)}`,
    ]);
  });

  it('gets the resources of a pod that was deleted by force at once', async () => {
    await f.start();
    const containers = [{ ...main, resources: { requests: { cpu: '1500m' } } }];
    await f.create(makePod('a', { containers }));
    await f.untilPhase('a', 'Running');
    await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
    await f.create(makePod('b', { containers }));
    await f.untilPhase('b', 'Running', 10_000);
  });

  it('is resized when another pod has become smaller', async () => {
    await f.start();
    const containers = (cpu: string) => [{ ...main, resources: { requests: { cpu }, limits: { cpu } } }];
    for (const name of ['a', 'b']) await f.create(makePod(name, { containers: containers('900m') }));
    await f.untilPhase('a', 'Running');
    await f.untilPhase('b', 'Running');
    const resize = (name: string, cpu: string) =>
      f.client
        .resource('v1/pods')
        .patch(
          { namespace: 'default', name },
          { spec: { containers: containers(cpu) } },
          { type: 'strategic', subresource: 'resize' },
        );
    const pending = async () =>
      (await f.pod('a')).status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason;
    await resize('a', '1500m');
    await f.until('it is put off', async () => (await pending()) === 'Deferred', 5000);
    await resize('b', '300m');
    await f.until(
      'it is granted',
      async () =>
        (await f.pod('a')).status?.containerStatuses?.[0]?.allocatedResources?.['cpu'] === '1500m' &&
        (await pending()) === undefined,
      5000,
    );
  });

  it('reports the resources that its cgroup has, and no more those of its specification', async () => {
    await f.start();
    const resources = { requests: { cpu: '100m', 'ephemeral-storage': '1Mi' }, limits: { cpu: '1' } };
    await f.create(
      makePod('a', {
        containers: [
          { ...main, resources },
          { ...main, name: 'other' },
        ],
      }),
    );
    await f.untilPhase('a', 'Running');
    await f.until(
      'they are of the running pod',
      async () => (await f.pod('a')).status?.resources?.limits === undefined,
      5000,
    );
    expect((await f.pod('a')).status).toMatchObject({
      resources: { requests: { cpu: '100m' } },
      allocatedResources: { cpu: '100m', 'ephemeral-storage': '1Mi' },
    });
    expect((await f.pod('a')).status?.resources?.requests).toEqual({ cpu: '100m' });
  });

  it('keeps its memory limit while it uses more than a smaller one', async () => {
    await f.start();
    const resources = (memory: string) => ({ requests: { memory }, limits: { memory } });
    await f.create(makePod('a', { containers: [{ ...main, resources: resources('64Mi') }] }));
    await f.untilPhase('a', 'Running');
    f.runtime.memoryUsage = 20 * 2 ** 20;
    const resize = (memory: string) =>
      f.client
        .resource('v1/pods')
        .patch(
          { namespace: 'default', name: 'a' },
          { spec: { containers: [{ name: 'main', resources: resources(memory) }] } },
          { type: 'strategic', subresource: 'resize' },
        );
    const condition = async () =>
      (await f.pod('a')).status?.conditions?.find(({ type }) => type === 'PodResizeInProgress');
    await resize('10Mi');
    await f.until('it is refused', async () => (await condition())?.reason === 'Error', 5000);
    const message =
      'cannot decrease memory limits: attempting to set container "main" memory limit (10485760) below current usage (20971520)';
    expect(await condition()).toMatchObject({ status: 'True', message, observedGeneration: 2 });
    const { status } = await f.pod('a');
    expect(status?.containerStatuses?.[0]?.resources?.limits).toEqual({ memory: '64Mi' });
    expect(status?.containerStatuses?.[0]?.allocatedResources).toEqual({ memory: '10Mi' });
    expect(f.runtime.calls).not.toContain('UpdateContainerResources main');
    await resize('32Mi');
    await f.until('the next one is done', async () => (await condition()) === undefined, 5000);
    expect(f.runtime.calls.filter((call) => call === 'UpdateContainerResources main')).toHaveLength(1);
    expect((await f.events('a')).filter((event) => event.startsWith('ResizeError'))).toHaveLength(1);
  });
});

describe('static pods', () => {
  it('run, are mirrored, and end with their file', async () => {
    const manifests = path.join(f.rootDirectory, 'manifests');
    await fs.mkdir(manifests);
    const file = path.join(manifests, 'web.yaml');
    await fs.writeFile(
      file,
      'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {automountServiceAccountToken: false, terminationGracePeriodSeconds: 1, containers: [{name: main, image: busybox, imagePullPolicy: IfNotPresent}]}\n',
    );
    await f.start({ staticPodPath: manifests });
    await f.until(
      'its mirror runs',
      async () => (await f.pod('web-node-1').catch(() => undefined))?.status?.phase === 'Running',
    );
    const mirror = await f.pod('web-node-1');
    expect(mirror.metadata.annotations?.['kubernetes.io/config.source']).toBe('file');
    expect(mirror.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Node', name: 'node-1' });
    await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'web-node-1' }, { gracePeriodSeconds: 0 });
    await f.until(
      'it comes again',
      async () => (await f.pod('web-node-1').catch(() => undefined))?.metadata.uid !== mirror.metadata.uid,
    );
    expect(f.runtime.calls.filter((call) => call === 'StartContainer main')).toHaveLength(1);
    await fs.rm(file);
    await f.until(
      'it is gone',
      async () =>
        f.runtime.containers.size === 0 &&
        (await f.client.resource('v1/pods').list({ namespace: 'default' })).items.length === 0,
    );
  });
});
