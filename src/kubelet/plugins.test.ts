import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectGrpc, GrpcError, GrpcServer } from '../grpc/index.ts';
import * as devicePlugin from './devices/device-plugin-v1beta1.generated.ts';
import * as registration from './devices/plugin-registration-v1.generated.ts';
import { makePod, NODE, startKubeletFixture, type KubeletFixture } from './testing/index.ts';
import * as csi from './volumes/csi/csi-v1.generated.ts';

let f: KubeletFixture;
const servers: GrpcServer[] = [];

beforeEach(async () => {
  f = await startKubeletFixture();
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await f.stop();
});

const noting = (list: string[], text: string): Promise<object> => {
  list.push(text);
  return Promise.resolve({});
};

const PUBLISHED = '/var/lib/kubelet';
const main = { name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent' };
const until = async (what: string, condition: () => Promise<boolean>): Promise<void> =>
  f.until(what, condition, 600_000);

describe('a device plugin', () => {
  it('offers devices, and its containers get them', async () => {
    await f.start();
    const directory = path.join(f.rootDirectory, 'device-plugins');
    await until('the kubelet listens', () =>
      fs.access(path.join(directory, 'kubelet.sock')).then(
        () => true,
        () => false,
      ),
    );
    const allocated: string[][] = [];
    let sicken = (): void => {};
    const plugin: Partial<devicePlugin.DevicePlugin> = {
      async *listAndWatch(_request, options) {
        yield {
          devices: [
            { ID: 'a', health: 'Healthy' },
            { ID: 'b', health: 'Healthy' },
            { ID: 'c', health: 'Unhealthy' },
          ],
        };
        const ended = new Promise<void>((resolve) =>
          options?.signal?.addEventListener('abort', () => resolve(), { once: true }),
        );
        await Promise.race([ended, new Promise<void>((resolve) => (sicken = resolve))]);
        yield {
          devices: [
            { ID: 'a', health: 'Unhealthy' },
            { ID: 'b', health: 'Healthy' },
            { ID: 'c', health: 'Unhealthy' },
          ],
        };
        await ended;
      },
      allocate: ({ containerRequests = [] }) => {
        const ids = [...(containerRequests[0]?.devicesIds ?? [])];
        allocated.push(ids);
        return Promise.resolve({
          containerResponses: [
            {
              envs: { DEVICES: ids.join() },
              devices: [{ containerPath: '/dev/x', hostPath: '/dev/null', permissions: 'rw' }],
            },
          ],
        });
      },
    };
    const server = new GrpcServer().add(
      { package: devicePlugin.PACKAGE, descriptor: devicePlugin.descriptor },
      'DevicePlugin',
      plugin,
    );
    servers.push(server);
    await server.listen(`unix://${path.join(directory, 'x.sock')}`);
    const kubelet = connectGrpc(path.join(directory, 'kubelet.sock'));
    await kubelet
      .service<devicePlugin.Registration>(
        { package: devicePlugin.PACKAGE, descriptor: devicePlugin.descriptor },
        'Registration',
      )
      .register({ version: 'v1beta1', endpoint: 'x.sock', resourceName: 'example.com/x' });
    kubelet.close();
    await until(
      'the node has them',
      async () =>
        (await f.client.resource('v1/nodes').get({ name: NODE })).status?.allocatable?.['example.com/x'] === '2',
    );
    expect((await f.client.resource('v1/nodes').get({ name: NODE })).status?.capacity?.['example.com/x']).toBe('3');
    await f.create(makePod('a', { containers: [{ ...main, resources: { limits: { 'example.com/x': '1' } } }] }));
    await f.untilPhase('a', 'Running', 600_000);
    const { config } = f.runtime.container('a', 'main');
    expect(allocated).toEqual([['a']]);
    expect(config.envs?.find(({ key }) => key === 'DEVICES')?.value?.toString()).toBe('a');
    expect(config.devices).toEqual([{ containerPath: '/dev/x', hostPath: '/dev/null', permissions: 'rw' }]);
    const health = async () => (await f.pod('a')).status?.containerStatuses?.[0]?.allocatedResourcesStatus;
    expect(await health()).toEqual([{ name: 'example.com/x', resources: [{ resourceID: 'a', health: 'Healthy' }] }]);
    sicken();
    await until('its status tells', async () => (await health())?.[0]?.resources?.[0]?.health === 'Unhealthy');
    await f.create(makePod('b', { containers: [{ ...main, resources: { limits: { 'example.com/x': '2' } } }] }));
    expect((await f.untilPhase('b', 'Failed', 600_000)).status?.reason).toBe('OutOfexample.com/x');
  });
});

describe('a CSI driver', () => {
  it('registers, and stages, publishes, expands and unpublishes volumes', async () => {
    await f.start({ publishedRootDirectory: PUBLISHED });
    const registry = path.join(f.rootDirectory, 'plugins_registry');
    await until('the registry is there', () =>
      fs.access(registry).then(
        () => true,
        () => false,
      ),
    );
    const socket = path.join(f.rootDirectory, 'csi.sock');
    const calls: string[] = [];
    let limit = 0;
    // As in the driver's pod, which mounts hostPath volumes below the published directory.
    const onNode = (file = ''): string => {
      expect(file.startsWith(`${PUBLISHED}/`)).toBe(true);
      return file.replace(PUBLISHED, f.rootDirectory);
    };
    const driver: Partial<csi.Node> & Partial<registration.Registration> = {
      nodeGetInfo: () =>
        Promise.resolve({
          nodeId: 'machine-1',
          maxVolumesPerNode: limit,
          accessibleTopology: { segments: { 'example.com/zone': 'z' } },
        }),
      nodeGetCapabilities: () =>
        Promise.resolve({
          capabilities: [{ rpc: { type: 'STAGE_UNSTAGE_VOLUME' } }, { rpc: { type: 'EXPAND_VOLUME' } }],
        }),
      nodeStageVolume: async ({ volumeId, volumeCapability, stagingTargetPath }) => {
        expect((await fs.stat(onNode(stagingTargetPath))).isDirectory()).toBe(true);
        return noting(
          calls,
          `stage ${volumeId} ${volumeCapability?.mount?.fsType} ${volumeCapability?.accessMode?.mode}`,
        );
      },
      nodePublishVolume: async ({ volumeId, targetPath, stagingTargetPath, readonly }) => {
        calls.push(`publish ${volumeId} ${readonly === true} ${path.basename(onNode(stagingTargetPath))}`);
        await fs.mkdir(onNode(targetPath), { recursive: true });
        return {};
      },
      nodeExpandVolume: ({ volumeId, capacityRange, volumeCapability, volumePath, stagingTargetPath }) => {
        calls.push(
          `expand ${volumeId} ${capacityRange?.requiredBytes} ${volumeCapability?.mount?.fsType} ${path.basename(onNode(volumePath))} ${path.basename(onNode(stagingTargetPath))}`,
        );
        return calls.length > 3 ? Promise.resolve({}) : Promise.reject(new GrpcError('UNAVAILABLE', 'not yet'));
      },
      nodeUnpublishVolume: ({ volumeId, targetPath }) =>
        noting(calls, `unpublish ${volumeId} ${path.basename(onNode(targetPath))}`),
      nodeUnstageVolume: async ({ volumeId, stagingTargetPath }) => {
        await noting(calls, `unstage ${volumeId} ${path.basename(onNode(stagingTargetPath))}`);
        if (calls.at(-2)?.startsWith('unstage') !== true) throw new GrpcError('INVALID_ARGUMENT', 'not yet');
        return {};
      },
    };
    const node = new GrpcServer().add({ package: csi.PACKAGE, descriptor: csi.descriptor }, 'Node', driver);
    await node.listen(`unix://${socket}`);
    const status: registration.RegistrationStatus[] = [];
    const announced = new GrpcServer().add(
      { package: registration.PACKAGE, descriptor: registration.descriptor },
      'Registration',
      {
        getInfo: () =>
          Promise.resolve({
            type: 'CSIPlugin',
            name: 'csi.example.com',
            endpoint: path.join(PUBLISHED, 'csi.sock'),
            supportedVersions: ['1.0.0'],
          }),
        notifyRegistrationStatus: (told: registration.RegistrationStatus) => {
          status.push(told);
          return Promise.resolve({});
        },
      },
    );
    servers.push(node, announced);
    await announced.listen(`unix://${path.join(registry, 'csi.sock')}`);
    await until('it is registered', () => Promise.resolve(status.length > 0));
    expect(status[0]).toMatchObject({ pluginRegistered: true });
    const entry = async () =>
      (await f.client.resource('storage.k8s.io/v1/csinodes').get({ name: NODE })).spec.drivers.map(
        ({ allocatable, ...rest }) => ({ ...rest, count: allocatable?.count }),
      );
    const registered = { name: 'csi.example.com', nodeID: 'machine-1', topologyKeys: ['example.com/zone'] };
    expect(await entry()).toEqual([{ ...registered, count: undefined }]);
    const { annotations } = (await f.client.resource('v1/nodes').get({ name: NODE })).metadata;
    expect(annotations?.['csi.volume.kubernetes.io/nodeid']).toBe('{"csi.example.com":"machine-1"}');
    await f.client.resource('storage.k8s.io/v1/csidrivers').create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'csi.example.com' },
      spec: { attachRequired: false, nodeAllocatableUpdatePeriodSeconds: 10 },
    });
    limit = 8;
    await until('the limit is told', async () => (await entry())[0]?.count === 8);
    await f.client
      .resource('storage.k8s.io/v1/csidrivers')
      .patch({ name: 'csi.example.com' }, { spec: { nodeAllocatableUpdatePeriodSeconds: null } }, { type: 'merge' });
    await f.advance(1000);
    limit = 9;
    await f.advance(60_000);
    expect(await entry()).toEqual([{ ...registered, count: 8 }]);
    const claims = f.client.resource('v1/persistentvolumeclaims');
    const claim = await claims.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeName: 'pv',
        storageClassName: '',
      },
    });
    await f.client.resource('v1/persistentvolumes').create({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        claimRef: { namespace: 'default', name: 'data', uid: claim.metadata.uid },
        csi: { driver: 'csi.example.com', volumeHandle: 'vol-1', fsType: 'ext4' },
      },
    });
    await claims.patch(
      { namespace: 'default', name: 'data' },
      {
        status: {
          phase: 'Bound',
          capacity: { storage: '512Mi' },
          allocatedResources: { storage: '1Gi' },
          allocatedResourceStatuses: { storage: 'NodeResizePending' },
        },
      },
      { type: 'merge', subresource: 'status' },
    );
    await f.create(
      makePod('a', {
        terminationGracePeriodSeconds: 1,
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
        containers: [{ ...main, volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      }),
    );
    await f.untilPhase('a', 'Running', 600_000);
    // The pod does not start before the volume has its size; it is staged once and published again.
    const once = [
      'stage vol-1 ext4 SINGLE_NODE_WRITER',
      'publish vol-1 false globalmount',
      'expand vol-1 1073741824 ext4 mount globalmount',
    ];
    expect(calls).toEqual([...once, ...once.slice(1)]);
    const published = calls.length;
    const told = async (): Promise<string[]> => (await f.events('a')).filter((text) => /Mount|Resize/.test(text));
    await until('it is told', async () => (await told()).length > 1);
    expect(await told()).toEqual([
      'FailedMount: MountVolume.Setup failed while expanding volume for volume "pv" : Expander.NodeExpand failed to expand the volume : rpc error: code = Unavailable desc = not yet',
      'FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "pv" node-1',
    ]);
    const { capacity, allocatedResourceStatuses } =
      (await claims.get({ namespace: 'default', name: 'data' })).status ?? {};
    expect({ capacity, allocatedResourceStatuses }).toEqual({ capacity: { storage: '1Gi' } });
    expect((await f.client.resource('v1/nodes').get({ name: NODE })).metadata.labels?.['example.com/zone']).toBe('z');
    await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'a' });
    await until(
      'the pod is gone',
      async () => (await f.client.resource('v1/pods').list({ namespace: 'default' })).items.length === 0,
    );
    // The volume is unstaged later, and no pod waits for that.
    const rest = (): string[] => calls.slice(published);
    await until('it is unstaged', () => Promise.resolve(rest().length >= 3));
    expect(rest()).toEqual(['unpublish vol-1 mount', 'unstage vol-1 globalmount', 'unstage vol-1 globalmount']);
    const inUse = async () => (await f.client.resource('v1/nodes').get({ name: NODE })).status?.volumesInUse ?? [];
    await until('it is not in use', async () => (await inUse()).length === 0);
  });

  it('whose attachments exceed the limit of the node: the pod is rejected, and the limit is asked again', async () => {
    await f.start();
    const registry = path.join(f.rootDirectory, 'plugins_registry');
    await until('the registry is there', () =>
      fs.access(registry).then(
        () => true,
        () => false,
      ),
    );
    let limit = 5;
    const server = new GrpcServer()
      .add({ package: csi.PACKAGE, descriptor: csi.descriptor }, 'Node', {
        nodeGetInfo: () => Promise.resolve({ nodeId: 'machine-1', maxVolumesPerNode: limit }),
        nodeGetCapabilities: () => Promise.resolve({}),
      })
      .add({ package: registration.PACKAGE, descriptor: registration.descriptor }, 'Registration', {
        getInfo: () => Promise.resolve({ type: 'CSIPlugin', name: 'csi.example.com', supportedVersions: ['1.0.0'] }),
        notifyRegistrationStatus: () => Promise.resolve({}),
      });
    servers.push(server);
    await server.listen(`unix://${path.join(registry, 'csi.sock')}`);
    const count = async () =>
      (await f.client.resource('storage.k8s.io/v1/csinodes').get({ name: NODE })).spec.drivers?.[0]?.allocatable?.count;
    await until('it is registered', async () => (await count()) === 5);
    await f.client.resource('storage.k8s.io/v1/csidrivers').create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'csi.example.com' },
      spec: { attachRequired: true, nodeAllocatableUpdatePeriodSeconds: 100_000 },
    });
    const claims = f.client.resource('v1/persistentvolumeclaims');
    const claim = await claims.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeName: 'pv',
        storageClassName: '',
      },
    });
    await f.client.resource('v1/persistentvolumes').create({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        claimRef: { namespace: 'default', name: 'data', uid: claim.metadata.uid },
        csi: { driver: 'csi.example.com', volumeHandle: 'vol-1', fsType: 'ext4' },
      },
    });
    await claims.patch(
      { namespace: 'default', name: 'data' },
      { status: { phase: 'Bound', capacity: { storage: '1Gi' } } },
      { type: 'merge', subresource: 'status' },
    );
    const attachments = f.client.resource('storage.k8s.io/v1/volumeattachments');
    const name = `csi-${createHash('sha256').update(`vol-1csi.example.com${NODE}`).digest('hex')}`;
    await attachments.create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name },
      spec: { attacher: 'csi.example.com', nodeName: NODE, source: { persistentVolumeName: 'pv' } },
    });
    const attachError = { message: 'attachment limit exceeded', errorCode: 8 };
    await attachments.patch(
      { name },
      { status: { attached: false, attachError } },
      { type: 'merge', subresource: 'status' },
    );
    await f.create(
      makePod('a', {
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
        containers: [{ ...main, volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      }),
    );
    limit = 3;
    await f.advance(60_000);
    expect((await f.pod('a')).status?.phase).toBe('Pending');
    const { reason, message } = (await f.untilPhase('a', 'Failed', 600_000)).status ?? {};
    expect({ reason, message }).toEqual({
      reason: 'VolumeAttachmentLimitExceeded',
      message:
        'Pod was rejected: Node has reached its volume attachment limit, rejecting pod. unmounted volumes=[v], unattached volumes=[v], failed to process volumes=[]: context deadline exceeded',
    });
    expect(await count()).toBe(3);
  });
});

describe('the CSINode', () => {
  const csiNode = () => f.client.resource('storage.k8s.io/v1/csinodes').get({ name: NODE });

  it('exists before the node is ready, and names the plugins that are migrated', async () => {
    await f.start();
    const { uid = '' } = (await f.client.resource('v1/nodes').get({ name: NODE })).metadata;
    const { metadata, spec } = await csiNode();
    expect(metadata.ownerReferences).toEqual([{ apiVersion: 'v1', kind: 'Node', name: NODE, uid }]);
    expect(spec).toEqual({ drivers: null });
    expect(metadata.annotations?.['storage.alpha.kubernetes.io/migrated-plugins']).toBe(
      'kubernetes.io/aws-ebs,kubernetes.io/azure-disk,kubernetes.io/azure-file,kubernetes.io/cinder,kubernetes.io/gce-pd,kubernetes.io/portworx-volume,kubernetes.io/vsphere-volume',
    );
  });

  it('of another Node of the name is replaced', async () => {
    await f.client.resource('storage.k8s.io/v1/csinodes').create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: {
        name: NODE,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: NODE, uid: '00000000-0000-4000-8000-000000000000' }],
      },
      spec: { drivers: [{ name: 'old.example.com', nodeID: 'old' }] },
    });
    await f.start();
    const { uid } = (await f.client.resource('v1/nodes').get({ name: NODE })).metadata;
    await until('it is replaced', async () => (await csiNode()).metadata.ownerReferences?.[0]?.uid === uid);
    expect((await csiNode()).spec).toEqual({ drivers: null });
  });
});
