import fs from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectGrpc, GrpcServer } from '../grpc/index.ts';
import * as registration from './devices/plugin-registration-v1.generated.ts';
import { draCheckpoint } from './dra/dra-checkpoint.ts';
import * as draHealth from './dra/dra-health-v1alpha1.generated.ts';
import * as draV1 from './dra/dra-v1.generated.ts';
import * as draV1beta1 from './dra/dra-v1beta1.generated.ts';
import * as podResources from './resources/pod-resources-v1.generated.ts';
import { makePod, NODE, startKubeletFixture, type KubeletFixture } from './testing/index.ts';

const DRIVER = 'gpu.example.com';
let f: KubeletFixture;
const servers: GrpcServer[] = [];
let calls: string[];
let failure = '';

beforeEach(async () => {
  f = await startKubeletFixture();
  calls = [];
  failure = '';
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await f.stop();
});

const until = (what: string, condition: () => Promise<boolean> | boolean): Promise<void> =>
  f.until(what, condition, 900_000);
const main = { name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent' };

/** A driver that gives every claim one device a request. */
async function startDriver(
  versions = ['v1.DRAPlugin'],
  health?: draHealth.DRAResourceHealth,
): Promise<registration.RegistrationStatus[]> {
  const registry = path.join(f.rootDirectory, 'plugins_registry');
  await until('the registry is there', () =>
    fs.access(registry).then(
      () => true,
      () => false,
    ),
  );
  const socket = path.join(f.rootDirectory, 'dra.sock');
  const plugin: draV1.DRAPlugin = {
    nodePrepareResources: ({ claims = [] }) => {
      calls.push(`prepare ${claims.map(({ namespace, name }) => `${namespace}/${name}`).join()}`);
      return Promise.resolve({
        claims: Object.fromEntries(
          claims.map(({ uid = '' }) => [
            uid,
            failure === ''
              ? {
                  devices: [
                    { requestNames: ['one'], poolName: NODE, deviceName: 'gpu-0', cdiDeviceIds: ['example.com/gpu=0'] },
                    {
                      requestNames: ['two/large'],
                      poolName: NODE,
                      deviceName: 'gpu-1',
                      cdiDeviceIds: ['example.com/gpu=1'],
                    },
                  ],
                }
              : { error: failure },
          ]),
        ),
      });
    },
    nodeUnprepareResources: ({ claims = [] }) => {
      calls.push(`unprepare ${claims.map(({ name }) => name).join()}`);
      return Promise.resolve({ claims: Object.fromEntries(claims.map(({ uid = '' }) => [uid, {}])) });
    },
  };
  const contract = versions.includes('v1beta1.DRAPlugin') ? draV1beta1 : draV1;
  const node = new GrpcServer().add(
    { package: contract.PACKAGE, descriptor: contract.descriptor },
    'DRAPlugin',
    plugin,
  );
  if (health !== undefined)
    node.add({ package: draHealth.PACKAGE, descriptor: draHealth.descriptor }, 'DRAResourceHealth', health);
  await node.listen(`unix://${socket}`);
  const status: registration.RegistrationStatus[] = [];
  const announced = new GrpcServer().add(
    { package: registration.PACKAGE, descriptor: registration.descriptor },
    'Registration',
    {
      getInfo: () =>
        Promise.resolve({ type: 'DRAPlugin', name: DRIVER, endpoint: socket, supportedVersions: versions }),
      notifyRegistrationStatus: (told: registration.RegistrationStatus) => {
        status.push(told);
        return Promise.resolve({});
      },
    },
  );
  servers.push(node, announced);
  await announced.listen(`unix://${path.join(registry, 'dra.sock')}`);
  await until('it is registered', () => status.length > 0);
  return status;
}

async function makeClaim(name: string, podUids: readonly { name: string; uid: string }[]): Promise<void> {
  const claims = f.client.resource('resource.k8s.io/v1/resourceclaims');
  await f.client
    .resource('resource.k8s.io/v1/deviceclasses')
    .create({ apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} })
    .catch(() => {});
  await claims.create({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name, namespace: 'default' },
    spec: {
      devices: {
        requests: [
          { name: 'one', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } },
          {
            name: 'two',
            firstAvailable: [{ name: 'large', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 }],
          },
        ],
      },
    },
  });
  await claims.patch(
    { namespace: 'default', name },
    {
      status: {
        allocation: {
          devices: {
            results: [
              { request: 'one', driver: DRIVER, pool: NODE, device: 'gpu-0' },
              { request: 'two/large', driver: DRIVER, pool: NODE, device: 'gpu-1' },
            ],
          },
        },
        reservedFor: podUids.map((pod) => ({ resource: 'pods', name: pod.name, uid: pod.uid })),
      },
    },
    { type: 'merge', subresource: 'status' },
  );
}

const claiming = (name: string, request?: string) =>
  makePod(name, {
    terminationGracePeriodSeconds: 1,
    resourceClaims: [{ name: 'gpu', resourceClaimName: 'claim' }],
    containers: [{ ...main, resources: { claims: [{ name: 'gpu', ...(request === undefined ? {} : { request }) }] } }],
  });
const cdi = (pod: string) => f.runtime.container(pod, 'main').config.CDIDevices?.map(({ name }) => name);

describe('a driver of dynamic resources', () => {
  it('prepares claims before pods start, once for all, and undoes it after the last', async () => {
    await f.start();
    expect(await startDriver()).toEqual([{ pluginRegistered: true }]);
    const [a, b] = [await f.create(claiming('a')), await f.create(claiming('b', 'two'))];
    await until('the pod waits', async () =>
      (await f.events('a')).some((event) =>
        event.startsWith(
          'FailedPrepareDynamicResources: Failed to prepare dynamic resources: failed to fetch ResourceClaim claim referenced by pod a: ',
        ),
      ),
    );
    expect(f.runtime.sandboxes.size).toBe(0);
    await makeClaim(
      'claim',
      [a, b].map(({ metadata }) => ({ name: metadata.name ?? '', uid: metadata.uid ?? '' })),
    );
    await f.untilPhase('a', 'Running', 900_000);
    await f.untilPhase('b', 'Running', 900_000);
    expect(calls).toEqual(['prepare default/claim']);
    expect([cdi('a'), cdi('b')]).toEqual([['example.com/gpu=0', 'example.com/gpu=1'], ['example.com/gpu=1']]);
    const checkpoint = draCheckpoint.decode(await fs.readFile(path.join(f.rootDirectory, 'dra_manager_state'), 'utf8'));
    expect(checkpoint).toMatchObject([{ name: 'claim' }]);
    expect(new Set(checkpoint[0]?.podUids)).toEqual(new Set([a.metadata.uid, b.metadata.uid]));
    const connection = connectGrpc(path.join(f.rootDirectory, 'pod-resources', 'kubelet.sock'));
    const lister = connection.service<podResources.PodResourcesLister>(
      { package: podResources.PACKAGE, descriptor: podResources.descriptor },
      'PodResourcesLister',
    );
    expect(await lister.get({ podName: 'b', podNamespace: 'default' })).toMatchObject({
      podResources: {
        name: 'b',
        containers: [
          {
            name: 'main',
            dynamicResources: [
              {
                claimName: 'claim',
                claimNamespace: 'default',
                claimResources: [
                  {
                    cdiDevices: [{ name: 'example.com/gpu=1' }],
                    driverName: DRIVER,
                    poolName: NODE,
                    deviceName: 'gpu-1',
                  },
                ],
              },
            ],
          },
        ],
      },
    });
    connection.close();
    const pods = f.client.resource('v1/pods');
    await pods.delete({ namespace: 'default', name: 'a' });
    await until('a is gone', async () => (await pods.list({ namespace: 'default' })).items.length === 1);
    expect(calls).toHaveLength(1);
    await f.stopKubelet();
    await f.start();
    await until('the driver is known again', async () => {
      await f.advance(1000);
      return (await fs.readdir(path.join(f.rootDirectory, 'plugins_registry'))).length > 0;
    });
    await pods.delete({ namespace: 'default', name: 'b' });
    await until('b is gone', async () => (await pods.list({ namespace: 'default' })).items.length === 0);
    expect(calls).toEqual(['prepare default/claim', 'unprepare claim']);
  });

  it('reports its error, and is called again', async () => {
    failure = 'no such device';
    await f.start();
    await startDriver();
    const pod = await f.create(claiming('a'));
    await makeClaim('claim', [{ name: 'a', uid: pod.metadata.uid ?? '' }]);
    await until('it is told', async () =>
      (await f.events('a')).includes(
        'FailedPrepareDynamicResources: Failed to prepare dynamic resources: NodePrepareResources failed for ResourceClaim claim: no such device',
      ),
    );
    failure = '';
    await f.untilPhase('a', 'Running', 900_000);
  });

  it('reports the health of its devices, which is unknown when its stream ends', async () => {
    await f.start();
    let tell = (_: draHealth.NodeWatchResourcesResponse): void => {};
    const device = (deviceName: string, health: draHealth.HealthStatus, more: object = {}): draHealth.DeviceHealth => ({
      device: { poolName: NODE, deviceName },
      health,
      healthCheckTimeoutSeconds: 600,
      ...more,
    });
    await startDriver(['v1.DRAPlugin', 'v1alpha1.DRAResourceHealth'], {
      async *nodeWatchResources(_request, options) {
        yield { devices: [device('gpu-0', 'HEALTHY'), device('gpu-1', 'HEALTHY')] };
        while (options?.signal?.aborted !== true) {
          const next = await new Promise<draHealth.NodeWatchResourcesResponse | undefined>((resolve) => {
            tell = resolve;
            options?.signal?.addEventListener('abort', () => resolve(undefined), { once: true });
          });
          if (next !== undefined) yield next;
        }
      },
    });
    const pod = await f.create(claiming('a', 'one'));
    await makeClaim('claim', [{ name: 'a', uid: pod.metadata.uid ?? '' }]);
    await f.untilPhase('a', 'Running', 900_000);
    const shown = async () => (await f.pod('a')).status?.containerStatuses?.[0]?.allocatedResourcesStatus;
    const of = (health: string, more: object = {}) => [
      { name: 'claim:gpu/one', resources: [{ resourceID: 'example.com/gpu=0', health, ...more }] },
    ];
    const untilShown = async (expected: object): Promise<void> =>
      until(JSON.stringify(expected), async () => JSON.stringify(await shown()) === JSON.stringify(expected));
    await untilShown(of('Healthy'));
    tell({
      devices: [
        device('gpu-0', 'UNHEALTHY', { message: 'too hot', healthCheckTimeoutSeconds: 5 }),
        device('gpu-1', 'HEALTHY'),
      ],
    });
    await untilShown(of('Unhealthy', { message: 'too hot' }));
    await untilShown(of('Unknown'));
    tell({ devices: [device('gpu-0', 'HEALTHY')] });
    await untilShown(of('Healthy'));
  });

  it('may use the older API version', async () => {
    await f.start();
    await startDriver(['v1beta1.DRAPlugin']);
    const pod = await f.create(claiming('a', 'one'));
    await makeClaim('claim', [{ name: 'a', uid: pod.metadata.uid ?? '' }]);
    await f.untilPhase('a', 'Running', 900_000);
    expect(cdi('a')).toEqual(['example.com/gpu=0']);
  });

  it('ignores claims that are not reserved for the pod', async () => {
    await f.start();
    await startDriver();
    await makeClaim('claim', [{ name: 'somebody', uid: 'else' }]);
    await f.create(claiming('a'));
    await until('it is told', async () =>
      (await f.events('a')).some((event) => /is not allowed to use ResourceClaim claim \(UID: /.test(event)),
    );
    expect(calls).toEqual([]);
  });

  it('of an unsupported version gets an error; its slices are deleted when it is removed', async () => {
    const slices = f.client.resource('resource.k8s.io/v1/resourceslices');
    const slice = (name: string, driver: string) =>
      slices.create({
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceSlice',
        metadata: { name },
        spec: {
          driver,
          nodeName: NODE,
          pool: { name: NODE, generation: 1, resourceSliceCount: 1 },
          devices: [{ name: 'gpu-0' }],
        },
      });
    await slice('stale', 'old.example.com');
    await f.start();
    const [status] = await startDriver(['v1alpha3.Node']);
    expect(status?.error).toMatch(
      /none of the DRA gRPC service interfaces is supported by both kubelet \(\[v1\.DRAPlugin v1beta1\.DRAPlugin\]\) and plugin/,
    );
    for (const server of servers.splice(0)) server.close();
    await until('the stale slice is gone', async () => (await slices.list()).items.length === 0);
    await fs.rm(path.join(f.rootDirectory, 'plugins_registry', 'dra.sock'), { force: true });
    await startDriver();
    await slice('fresh', DRIVER);
    await fs.rm(path.join(f.rootDirectory, 'plugins_registry', 'dra.sock'));
    await f.advance(35_000);
    await until('the slice is gone', async () => (await slices.list()).items.length === 0);
  });
});

describe('pod resources', () => {
  it('are listed, with CPUs, memory and allocatable resources', async () => {
    const cpus = Array.from({ length: 2 }, (_, id) => ({ id, core: id, socket: 0, numa: 0 }));
    await f.start(
      { cpuManagerPolicy: 'static', reservedSystemCPUs: '0', memoryManagerPolicy: 'Static', reservedMemory: [] },
      { topology: { cpus, numaNodes: [{ id: 0, memoryBytes: 8 * 2 ** 30, hugePages: {} }] } },
    );
    await f.create(makePod('a', { containers: [{ ...main, resources: { limits: { cpu: '1', memory: '1Gi' } } }] }));
    await f.create(makePod('b'));
    for (const name of ['a', 'b']) await f.untilPhase(name, 'Running');
    const connection = connectGrpc(path.join(f.rootDirectory, 'pod-resources', 'kubelet.sock'));
    const lister = connection.service<podResources.PodResourcesLister>(
      { package: podResources.PACKAGE, descriptor: podResources.descriptor },
      'PodResourcesLister',
    );
    const { podResources: listed = [] } = await lister.list({});
    expect(listed.map(({ name = '' }) => name).toSorted()).toEqual(['a', 'b']);
    expect(listed.find(({ name }) => name === 'a')?.containers).toMatchObject([
      {
        name: 'main',
        cpuIds: [1],
        memory: [{ memoryType: 'memory', size: 2 ** 30, topology: { nodes: [{ ID: 0 }] } }],
      },
    ]);
    expect(await lister.getAllocatableResources({})).toMatchObject({
      cpuIds: [1],
      memory: [{ memoryType: 'memory', size: 8 * 2 ** 30 }],
    });
    await expect(lister.get({ podName: 'c', podNamespace: 'default' })).rejects.toThrow(
      'pod c in namespace default not found',
    );
    const answers = await Promise.allSettled(Array.from({ length: 40 }, () => lister.list({})));
    expect(
      answers
        .filter(({ status }) => status === 'rejected')
        .map((answer) => String((answer as PromiseRejectedResult).reason)),
    ).toContain('GrpcError: rejected by rate limit');
    connection.close();
  });
});
