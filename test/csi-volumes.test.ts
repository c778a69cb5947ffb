import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../src/api/generated/core-v1.ts';
import { startCsiDriver, type TestCsiDriver } from './csi-driver.ts';
import { startNodeCluster, type NodeCluster } from './node-cluster.ts';
import { everything, requires } from './requires.ts';

const missing = requires('root', 'runc', 'conmon', 'kubectl', 'busybox');
const DRIVER = 'csi.example.com';
const IN_USE = `kubernetes.io/csi/${DRIVER}^vol-1`;

/** Volumes of a CSI driver, from its registration to the last unmount, with real mounts in real containers. */
describe.skipIf(missing)(`volumes of a CSI driver${missing ? ` (${missing})` : ''}`, () => {
  let c: NodeCluster;
  let driver: TestCsiDriver;
  const kubeletRoot = (): string => join(c.directory, 'node', 'kubelet');
  beforeAll(async () => {
    c = await startNodeCluster();
    await c.client.resource('storage.k8s.io/v1/csidrivers').create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DRIVER },
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        tokenRequests: [{ audience: 'vault' }],
      },
    });
    driver = await startCsiDriver({
      name: DRIVER,
      directory: join(c.directory, 'csi'),
      kubeletRoot: kubeletRoot(),
      client: c.client,
    });
    await c.until('the driver is registered', () => driver.registered.length > 0);
  });
  afterAll(async () => {
    await driver?.close();
    await c?.close();
  });

  const pod = (name: string): Promise<Pod> => c.client.resource('v1/pods').get({ namespace: 'default', name });
  const make = (name: string, volume: object, more: Partial<PodSpec> = {}): Promise<Pod> =>
    c.client.resource('v1/pods').create({
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
            command: ['sleep', '1000'],
            volumeMounts: [{ name: 'v', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'v', ...volume }],
        ...more,
      },
    });
  const isRunning = async (name: string): Promise<boolean> => (await pod(name)).status?.phase === 'Running';
  const exec = (name: string, command: string): Promise<string> => c.ok(['exec', name, '--', 'sh', '-c', command]);
  const inUse = async (): Promise<readonly string[]> =>
    (await c.client.resource('v1/nodes').get({ name: 'node-1' })).status?.volumesInUse ?? [];
  const mounts = (): string[] =>
    readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .filter((point) => point.startsWith(kubeletRoot()) && /csi|pvc/.test(point));
  const untilGone = (...names: string[]): Promise<void> =>
    c.until(
      `${names.join()} are gone`,
      async () =>
        !(await c.client.resource('v1/pods').list({ namespace: 'default' })).items.some(({ metadata }) =>
          names.includes(metadata.name ?? ''),
        ),
    );
  const claim = { persistentVolumeClaim: { claimName: 'data' } };

  it('shows in the CSINode', async () => {
    expect(driver.registered).toEqual([{ pluginRegistered: true }]);
    expect((await c.client.resource('storage.k8s.io/v1/csinodes').get({ name: 'node-1' })).spec.drivers).toEqual([
      { name: DRIVER, nodeID: 'machine-1', topologyKeys: null, allocatable: { count: 5 } },
    ]);
  });

  it('are attached, staged once and published to each pod, survive a restart of the kubelet, and go in the opposite order', async () => {
    await c.client.resource('v1/persistentvolumes').create({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        persistentVolumeReclaimPolicy: 'Retain',
        csi: { driver: DRIVER, volumeHandle: 'vol-1', fsType: 'ext4' },
      },
    });
    await c.client.resource('v1/persistentvolumeclaims').create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        volumeName: 'pv',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    await make('one', claim, { securityContext: { fsGroup: 2000 } });
    await c.until('the first pod runs', () => isRunning('one'));
    expect(driver.calls).toEqual(['attach pv', 'stage vol-1 /dev/of-the-test', 'publish vol-1']);
    await exec('one', 'echo hello > /data/file');
    expect(readFileSync(join(driver.files('vol-1'), 'file'), 'utf8')).toBe('hello\n');
    expect(statSync(join(driver.files('vol-1'), 'file')).gid).toBe(2000);
    await make('two', claim);
    await c.until('the second pod runs', () => isRunning('two'));
    expect(await exec('two', 'cat /data/file')).toBe('hello\n');
    await c.until('the node tells that it is in use', async () => (await inUse()).includes(IN_USE));

    const before = (await pod('one')).status?.containerStatuses?.[0];
    await c.restartNode();
    await c.until('the driver is registered again', () => driver.registered.length >= 2);
    await c.until('the node still tells that it is in use', async () => (await inUse()).includes(IN_USE));
    expect((await pod('one')).status?.containerStatuses?.[0]).toMatchObject({
      containerID: before?.containerID,
      restartCount: 0,
    });
    expect(await exec('one', 'cat /data/file')).toBe('hello\n');

    driver.calls.length = 0;
    await c.ok('delete pod one --wait=false');
    await untilGone('one');
    expect(driver.calls.filter((call) => !call.startsWith('publish') && !call.startsWith('stage'))).toEqual([
      'unpublish vol-1',
    ]);
    expect(await exec('two', 'cat /data/file')).toBe('hello\n');
    await c.ok('delete pod two --wait=false');
    await untilGone('two');
    await c.until('it is detached', () => driver.calls.includes('detach pv'));
    expect(driver.calls.slice(-3)).toEqual(['unpublish vol-1', 'unstage vol-1', 'detach pv']);
    await c.until('the node tells that it is not in use', async () => (await inUse()).length === 0);
    expect(mounts()).toEqual([]);
    expect(readFileSync(join(driver.files('vol-1'), 'file'), 'utf8')).toBe('hello\n');
  });

  it('are writable in the pod, and get its information', async () => {
    driver.calls.length = 0;
    await make('inline', { csi: { driver: DRIVER, readOnly: true, volumeAttributes: { of: 'mine' } } });
    await c.until('the pod runs', () => isRunning('inline'));
    expect(await exec('inline', 'cat /data/pod')).toBe('inline');
    expect((await c.kubectl(['exec', 'inline', '--', 'touch', '/data/x'])).stderr).toContain('Read-only file system');
    const context = [...driver.contexts].find(([handle]) => handle.startsWith('csi-'))?.[1] ?? {};
    expect(context).toMatchObject({
      of: 'mine',
      'csi.storage.k8s.io/pod.name': 'inline',
      'csi.storage.k8s.io/ephemeral': 'true',
    });
    const tokens = JSON.parse(context['csi.storage.k8s.io/serviceAccount.tokens'] ?? '{}') as Record<
      string,
      { token: string; expirationTimestamp: string }
    >;
    expect(JSON.parse(Buffer.from(tokens['vault']?.token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      aud: ['vault'],
      sub: 'system:serviceaccount:default:default',
    });
    await c.ok('delete pod inline --wait=false');
    await untilGone('inline');
    expect(driver.calls.map((call) => call.split(' ')[0])).toEqual(['publish', 'unpublish']);
    expect(mounts()).toEqual([]);
  });

  it('expand while they are used, and report their usage', async () => {
    const claims = c.client.resource('v1/persistentvolumeclaims');
    const reference = { namespace: 'default', name: 'growing' };
    await c.client.resource('v1/secrets').create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'expand', namespace: 'default' },
      stringData: { key: 'sesame' },
    });
    await c.client.resource('storage.k8s.io/v1/storageclasses').create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'growing' },
      provisioner: DRIVER,
      allowVolumeExpansion: true,
    });
    await c.client.resource('v1/persistentvolumes').create({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-2' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'growing',
        persistentVolumeReclaimPolicy: 'Retain',
        csi: {
          driver: DRIVER,
          volumeHandle: 'vol-2',
          fsType: 'ext4',
          nodeExpandSecretRef: { namespace: 'default', name: 'expand' },
        },
      },
    });
    await claims.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: reference,
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'growing',
        volumeName: 'pv-2',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    await make('grows', { persistentVolumeClaim: { claimName: 'growing' } });
    await c.until('the pod runs', () => isRunning('grows'));
    driver.calls.length = 0;

    /** What the external resizer leaves to the node; then somebody touches the pod, so that it does not wait for a minute. */
    const grow = async (storage: string): Promise<void> => {
      await claims.patch(reference, { spec: { resources: { requests: { storage } } } }, { type: 'merge' });
      await c.client
        .resource('v1/persistentvolumes')
        .patch({ name: 'pv-2' }, { spec: { capacity: { storage } } }, { type: 'merge' });
      await claims.patch(
        reference,
        {
          status: {
            allocatedResources: { storage },
            allocatedResourceStatuses: { storage: 'NodeResizePending' },
            conditions: [{ type: 'FileSystemResizePending', status: 'True' }],
          },
        },
        { type: 'merge', subresource: 'status' },
      );
      await c.ok(['annotate', 'pod', 'grows', '--overwrite', `to=${storage}`]);
    };
    const status = async () => (await claims.get(reference)).status;
    await grow('2Gi');
    await c.until('the claim has grown', async () => (await status())?.capacity?.['storage'] === '2Gi');
    expect(driver.calls).toEqual([`expand vol-2 ${2 * 2 ** 30} ext4 sesame`]);
    expect(await status()).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '2Gi' },
      allocatedResources: { storage: '2Gi' },
    });
    await grow('3Gi');
    await c.until(
      'the driver does not want it',
      async () => (await status())?.allocatedResourceStatuses?.['storage'] === 'NodeResizeInfeasible',
    );
    expect((await status())?.conditions?.map(({ type }) => type)).toEqual([
      'FileSystemResizePending',
      'NodeResizeError',
    ]);
    const told = async (): Promise<string[]> =>
      (
        await c.client.resource('v1/events').list({ namespace: 'default', fieldSelector: 'involvedObject.name=grows' })
      ).items.map(({ reason, message }) => `${reason}: ${message}`);
    await c.until('both are told', async () => (await told()).some((text) => text.startsWith('VolumeResizeFailed')));
    expect(await told()).toContain(
      'FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "pv-2" node-1',
    );
    expect(await told()).toContain(
      'VolumeResizeFailed: NodeExpandVolume.NodeExpandVolume failed for volume "pv-2" : Expander.NodeExpand failed to expand the volume rpc error: code = OutOfRange desc = too large',
    );

    const { pods } = JSON.parse(await c.ok('get --raw /api/v1/nodes/node-1/proxy/stats/summary')) as {
      pods: { podRef: { name: string }; volume?: { name: string }[] }[];
    };
    expect(pods.find(({ podRef }) => podRef.name === 'grows')?.volume?.find(({ name }) => name === 'v')).toMatchObject({
      capacityBytes: 1000,
      usedBytes: 400,
      availableBytes: 600,
      inodes: 100,
      inodesUsed: 30,
      inodesFree: 70,
      pvcRef: reference,
      volumeHealthStats: { abnormal: false },
    });
    const metrics = (await c.ok('get --raw /api/v1/nodes/node-1/proxy/metrics')).split('\n');
    for (const line of [
      'used_bytes{namespace="default",persistentvolumeclaim="growing"} 400',
      'health_status_abnormal{namespace="default",persistentvolumeclaim="growing"} 0',
    ])
      expect(metrics).toContain(`kubelet_volume_stats_${line}`);
    await c.ok('delete pod grows --wait=false');
    await c.until('it is detached', () => driver.calls.includes('detach pv-2'));
    expect(mounts()).toEqual([]);
  });

  it.runIf(everything)(
    'of pods that were removed while no kubelet ran are unmounted when the driver is there (long form)',
    async () => {
      await make('lost', claim);
      await c.until('the pod runs', () => isRunning('lost'));
      expect(mounts()).toHaveLength(2);
      await c.node.stop();
      await c.ok('delete pod lost --force --grace-period=0');
      driver.calls.length = 0;
      await c.restartNode();
      await c.until('it is detached', () => driver.calls.includes('detach pv'));
      expect(driver.calls).toEqual(['unpublish vol-1', 'unstage vol-1', 'detach pv']);
      expect(mounts()).toEqual([]);
    },
  );

  it.runIf(everything)('that are never attached do not keep their pods from going (long form)', async () => {
    driver.attaches = false;
    driver.calls.length = 0;
    await make('waiting', claim);
    const attachments = c.client.resource('storage.k8s.io/v1/volumeattachments');
    await c.until('the volume is to be attached', async () => (await attachments.list()).items.length === 1);
    await c.until('it is in use before it is there', async () => (await inUse()).includes(IN_USE));
    await c.ok('delete pod waiting --wait=false');
    await untilGone('waiting');
    await c.until('it is not to be attached any more', async () => (await attachments.list()).items.length === 0);
    expect(driver.calls).toEqual(['unpublish vol-1', 'unstage vol-1', 'detach pv']);
    expect(mounts()).toEqual([]);
  });
});
