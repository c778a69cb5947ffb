import { readdirSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../src/api/generated/core-v1.ts';
import { processCounts } from '../src/kubelet/node/machine.ts';
import { startNodeCluster, type NodeCluster } from './node-cluster.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage } from './test-images.ts';

const missing = everything
  ? requires('root', 'runc', 'conmon', 'kubectl', 'busybox', 'mount')
  : 'only with K8TS_EVERYTHING=1';
const MI = 2 ** 20;

/** A node of 180 MiB of disk, and 350 MiB of memory for pods: what happens when real containers use them up. */
describe.skipIf(missing)(`a node that runs out${missing ? ` (${missing})` : ''}`, () => {
  let c: NodeCluster;
  beforeAll(async () => {
    c = await startNodeCluster({
      diskSize: '180m',
      kubelet: {
        systemReserved: { memory: String(os.totalmem() - 350 * MI) },
        evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '40Mi' },
        evictionPressureTransitionPeriod: 1000,
        imageGCHighThresholdPercent: 40,
        imageGCLowThresholdPercent: 10,
        imageMinimumGCAge: 0,
        containerLogMaxSize: '100Ki',
        containerLogMaxFiles: 3,
        containerLogMonitorInterval: 1100,
        crashLoopBackOff: { maxContainerRestartPeriod: '1s' },
      },
      periods: { eviction: 300, imageGc: 300, containerGc: 300 },
    });
  });
  afterAll(() => c?.close());

  const pods = () => c.client.resource('v1/pods');
  const pod = (name: string): Promise<Pod> => pods().get({ namespace: 'default', name });
  const node = (): Promise<Node> => c.client.resource('v1/nodes').get({ name: 'node-1' });
  const pressure = async (type: string): Promise<string | undefined> =>
    (await node()).status?.conditions?.find((condition) => condition.type === type)?.status;
  const taints = async (): Promise<string[]> =>
    ((await node()).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
  const events = async (name: string): Promise<string[]> =>
    (
      await c.client.resource('v1/events').list({ namespace: 'default', fieldSelector: `involvedObject.name=${name}` })
    ).items.map(({ reason, message }) => `${reason}: ${message}`);
  const make = (name: string, command: string, more: Partial<NonNullable<Pod['spec']>> = {}): Promise<Pod> =>
    pods().create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'main',
            image: 'busybox',
            imagePullPolicy: 'IfNotPresent',
            command: ['sh', '-c', command],
            volumeMounts: (more.volumes ?? []).map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` })),
          },
        ],
        ...more,
      },
    });
  const untilRuns = (name: string): Promise<void> =>
    c.until(`${name} runs`, async () => (await pod(name)).status?.phase === 'Running');
  const untilEvicted = (name: string): Promise<void> =>
    c.until(`${name} is evicted`, async () => (await pod(name)).status?.phase === 'Failed');
  const disruption = async (name: string) =>
    (await pod(name)).status?.conditions?.find(({ type }) => type === 'DisruptionTarget');

  it('evicts the pod that fills the disk, and accepts others again afterwards', async () => {
    await make('quiet', 'sleep 1000');
    await untilRuns('quiet');
    await make('hog', 'dd if=/dev/zero of=/data/f bs=1M count=150; sleep 1000', {
      volumes: [{ name: 'data', emptyDir: {} }],
    });
    await Promise.all([
      untilEvicted('hog'),
      c.until('the node is tainted', async () =>
        (await taints()).includes('node.kubernetes.io/disk-pressure:NoSchedule'),
      ),
    ]);
    const { status } = await pod('hog');
    expect(status?.reason).toBe('Evicted');
    expect(status?.message).toMatch(
      /^The node was low on resource: ephemeral-storage\. Threshold quantity: 40Mi, available: \d+(Ki|Mi)?\. /,
    );
    expect(await disruption('hog')).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
      message: status?.message,
    });
    expect(await events('hog')).toContain(`Evicted: ${status?.message}`);
    expect(
      (await c.client.resource('v1/events').list({ namespace: 'default' })).items.map(
        ({ reason, message }) => `${reason}: ${message}`,
      ),
    ).toEqual(
      expect.arrayContaining([
        'EvictionThresholdMet: Attempting to reclaim ephemeral-storage',
        'NodeHasDiskPressure: Node node-1 status is now: NodeHasDiskPressure',
      ]),
    );
    await c.until(
      'the node is as before',
      async () =>
        (await pressure('DiskPressure')) === 'False' &&
        !(await taints()).includes('node.kubernetes.io/disk-pressure:NoSchedule'),
    );
    expect((await pod('quiet')).status?.phase).toBe('Running');
    expect((await pod('quiet')).status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('evicts the pod that exceeds its memory request', async () => {
    await make('greedy', 'dd if=/dev/zero of=/shm/f bs=1M count=300 2>&1; sleep 1000', {
      volumes: [{ name: 'shm', emptyDir: { medium: 'Memory' } }],
    });
    await untilEvicted('greedy');
    const { status } = await pod('greedy');
    expect(status?.reason).toBe('Evicted');
    expect(status?.message).toMatch(
      /^The node was low on resource: memory\. Threshold quantity: 100Mi, available: \S+\. Container main was using \S+, request is 0, has larger consumption of memory\. $/,
    );
    expect(await disruption('greedy')).toMatchObject({ status: 'True', reason: 'TerminationByKubelet' });
    await c.until('the memory is free', async () => (await pressure('MemoryPressure')) === 'False');
    expect((await pod('quiet')).status?.phase).toBe('Running');
  });

  it.runIf(everything)(
    'evicts a pod that exceeds its own storage limits, without node pressure (long form)',
    async () => {
      await make('over', 'dd if=/dev/zero of=/data/f bs=1M count=3; sleep 1000', {
        volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }],
      });
      await untilEvicted('over');
      expect((await pod('over')).status).toMatchObject({
        reason: 'Evicted',
        message: 'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ',
      });
      expect(await disruption('over')).toBeUndefined();
      await c.ok('delete pod hog greedy over --now');
    },
  );

  it.runIf(everything)('keeps one dead container of each, and no logs of the others (long form)', async () => {
    await make('crash', 'echo $HOSTNAME; exit 1');
    await c.until(
      'it crashed a few times',
      async () => ((await pod('crash')).status?.containerStatuses?.[0]?.restartCount ?? 0) >= 3,
    );
    const uid = (await pod('crash')).metadata.uid ?? '';
    const logs = join(c.directory, 'node', 'logs', 'pods', `default_crash_${uid}`, 'main');
    await c.until('one is left', async () => {
      const { containers = [] } = await c.node.runtime.cri.runtime.listContainers({
        filter: { labelSelector: { 'io.kubernetes.pod.uid': uid } },
      });
      return (
        containers.filter(({ state }) => state === 'CONTAINER_EXITED').length <= 1 && readdirSync(logs).length <= 2
      );
    });
    expect((await c.ok('logs crash --previous')).trim()).toBe('crash');
    await c.ok('delete pod crash --now');
  });

  it.runIf(everything)('rotates logs, and shows them on (long form)', async () => {
    await make(
      'chatty',
      'i=0; while true; do i=$((i+1)); echo "line $i of a log that grows and grows and grows"; [ $((i % 500)) = 0 ] && sleep 0.2; done',
    );
    await untilRuns('chatty');
    const uid = (await pod('chatty')).metadata.uid ?? '';
    const logs = join(c.directory, 'node', 'logs', 'pods', `default_chatty_${uid}`, 'main');
    await c.until('logs were rotated and packed', () =>
      readdirSync(logs).some((name) => /^0\.log\.\d{8}-\d{6}\.gz$/.test(name)),
    );
    await c.ctx.clock.sleep(1500);
    expect(readdirSync(logs).filter((name) => !name.endsWith('.tmp')).length).toBeLessThanOrEqual(3);
    expect(await c.ok('logs chatty --tail=1')).toMatch(/^line \d+ of a log/);
    await c.ok('delete pod chatty --now');
  });

  it.runIf(everything)('removes unused images when the disk fills up (long form)', async () => {
    await c.node.runtime.load(
      busyboxImage('docker.io/library/old:1', { layers: [[{ name: 'a-file', content: 'x'.repeat(2 * MI) }]] }),
    );
    const names = async (): Promise<string> => JSON.stringify((await c.node.runtime.cri.images.listImages({})).images);
    expect(await names()).toContain('/old:1');
    await make('half', 'dd if=/dev/zero of=/data/f bs=1M count=85; sleep 1000', {
      volumes: [{ name: 'data', emptyDir: {} }],
    });
    await c.until('the old image is gone', async () => !(await names()).includes('/old:1'));
    expect(await names()).toContain('/busybox:latest');
    expect(
      (await events('node-1')).some((event) =>
        /^FreeDiskSpaceFailed: Failed to garbage collect required amount of images\. Attempted to free \d+ bytes, but only found \d+ bytes eligible to free\.$/.test(
          event,
        ),
      ),
    ).toBe(true);
    expect((await pod('half')).status?.phase).toBe('Running');
    await c.ok('delete pod half quiet --now');
  });
});

const missingHere = everything ? missing : 'only with K8TS_EVERYTHING=1';

describe.skipIf(missingHere)(`a node with a soft threshold${missingHere ? ` (${missingHere})` : ''}`, () => {
  let c: NodeCluster;
  beforeAll(async () => {
    c = await startNodeCluster({
      diskSize: '120m',
      kubelet: {
        evictionHard: {},
        evictionSoft: { 'nodefs.available': '60Mi' },
        evictionSoftGracePeriod: { 'nodefs.available': '3s' },
        evictionMaxPodGracePeriod: 2,
        evictionPressureTransitionPeriod: 1000,
      },
      periods: { eviction: 300 },
    });
  });
  afterAll(() => c?.close());

  const pod = (name: string): Promise<Pod> => c.client.resource('v1/pods').get({ namespace: 'default', name });
  const make = (name: string, command: string): Promise<Pod> =>
    c.client.resource('v1/pods').create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        terminationGracePeriodSeconds: 30,
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [
          {
            name: 'main',
            image: 'busybox',
            imagePullPolicy: 'IfNotPresent',
            command: ['sh', '-c', command],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
      },
    });
  const node = async (): Promise<{ conditions: string[]; taints: string[] }> => {
    const { status, spec } = await c.client.resource('v1/nodes').get({ name: 'node-1' });
    return {
      conditions: (status?.conditions ?? []).filter((one) => one.status === 'True').map(({ type }) => type),
      taints: (spec?.taints ?? []).map(({ key }) => key),
    };
  };
  const pressureSince = async (): Promise<string> =>
    (await c.client.resource('v1/nodes').get({ name: 'node-1' })).status?.conditions?.find(
      ({ type }) => type === 'DiskPressure',
    )?.lastTransitionTime ?? '';

  it('waits for its grace period, and for the grace periods of pods', async () => {
    await make('filler', 'trap "" TERM; dd if=/dev/zero of=/data/f bs=1M count=70; while true; do sleep 0.1; done');
    await c.until('the disk is short', async () => (await node()).conditions.includes('DiskPressure'));
    const since = Date.parse(await pressureSince());
    await c.until('it is evicted', async () => (await pod('filler')).status?.phase === 'Failed');
    const ended = (await pod('filler')).status?.containerStatuses?.[0]?.state?.terminated?.finishedAt ?? '';
    // Three seconds of the threshold, two of the pod, which does not heed its signal; times of the API have no fractions.
    expect(Date.parse(ended) - since).toBeGreaterThanOrEqual(4000);
    expect((await pod('filler')).status).toMatchObject({
      reason: 'Evicted',
      message: expect.stringMatching(
        /^The node was low on resource: ephemeral-storage\. Threshold quantity: 60Mi, available: /,
      ) as string,
    });
    expect((await pod('filler')).status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
    await c.ok('delete pod filler --now');
  });

  it('ends the pod that has most processes', async () => {
    await make('quiet', 'sleep 1000');
    await c.until('it runs', async () => (await pod('quiet')).status?.phase === 'Running');
    // Other programs of the machine come and go by the dozens, not by the hundreds.
    const { running, max } = await processCounts();
    await c.restartNode({ evictionHard: { 'pid.available': String(max - running - 1000) }, evictionSoft: {} });
    await make('forks', 'i=0; while [ $i -lt 1600 ]; do sleep 1000 & i=$((i+1)); done; wait');
    await Promise.all([
      c.until('the node is tainted', async () => (await node()).taints.includes('node.kubernetes.io/pid-pressure')),
      c.until('it is evicted', async () => (await pod('forks')).status?.phase === 'Failed'),
    ]);
    expect((await pod('forks')).status).toMatchObject({
      reason: 'Evicted',
      message: expect.stringMatching(
        /^The node was low on resource: pids\. Threshold quantity: \S+, available: \S+\. $/,
      ) as string,
    });
    expect((await pod('quiet')).status?.phase).toBe('Running');
    await c.ok('delete pod quiet forks --now');
  });
});
