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
    await f.start();
    const registry = path.join(f.rootDirectory, 'plugins_registry');
    await until('the registry is there', () =>
      fs.access(registry).then(
        () => true,
        () => false,
      ),
    );
    const socket = path.join(f.rootDirectory, 'csi.sock');
    const calls: string[] = [];
    const driver: Partial<csi.Node> & Partial<registration.Registration> = {
      nodeGetInfo: () =>
        Promise.resolve({ nodeId: 'machine-1', accessibleTopology: { segments: { 'example.com/zone': 'z' } } }),
      nodeGetCapabilities: () =>
        Promise.resolve({
          capabilities: [{ rpc: { type: 'STAGE_UNSTAGE_VOLUME' } }, { rpc: { type: 'EXPAND_VOLUME' } }],
        }),
      nodeStageVolume: ({ volumeId, volumeCapability }) =>
        noting(calls, `stage ${volumeId} ${volumeCapability?.mount?.fsType} ${volumeCapability?.accessMode?.mode}`),
      nodePublishVolume: async ({ volumeId, targetPath = '', readonly }) => {
        calls.push(`publish ${volumeId} ${readonly === true}`);
        await fs.mkdir(targetPath, { recursive: true });
        return {};
      },
      nodeExpandVolume: ({ volumeId, capacityRange, volumeCapability, volumePath = '', stagingTargetPath = '' }) => {
        calls.push(
          `expand ${volumeId} ${capacityRange?.requiredBytes} ${volumeCapability?.mount?.fsType} ${path.basename(volumePath)} ${path.basename(stagingTargetPath)}`,
        );
        return calls.length > 3 ? Promise.resolve({}) : Promise.reject(new GrpcError('UNAVAILABLE', 'not yet'));
      },
      nodeUnpublishVolume: ({ volumeId }) => noting(calls, `unpublish ${volumeId}`),
      nodeUnstageVolume: ({ volumeId }) => noting(calls, `unstage ${volumeId}`),
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
            endpoint: socket,
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
    expect((await f.client.resource('storage.k8s.io/v1/csinodes').get({ name: NODE })).spec.drivers).toEqual([
      { name: 'csi.example.com', nodeID: 'machine-1', topologyKeys: ['example.com/zone'] },
    ]);
    await f.client.resource('storage.k8s.io/v1/csidrivers').create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'csi.example.com' },
      spec: { attachRequired: false },
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
    // The pod does not start before the volume has its size; what is there already is made again.
    const once = [
      'stage vol-1 ext4 SINGLE_NODE_WRITER',
      'publish vol-1 false',
      'expand vol-1 1073741824 ext4 mount globalmount',
    ];
    expect(calls).toEqual([...once, ...once]);
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
    expect(calls.slice(2 * once.length)).toEqual(['unpublish vol-1', 'unstage vol-1']);
  });
});
