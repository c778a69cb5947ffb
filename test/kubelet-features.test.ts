import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Container, Pod } from '../src/api/generated/core-v1.ts';
import { connectGrpc, GrpcServer } from '../src/grpc/index.ts';
import * as registration from '../src/kubelet/devices/plugin-registration-v1.generated.ts';
import * as draV1 from '../src/kubelet/dra/dra-v1.generated.ts';
import * as podResources from '../src/kubelet/resources/pod-resources-v1.generated.ts';
import { startNodeCluster, type NodeCluster } from './node-cluster.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage, pushImage } from './test-images.ts';
import {
  REGISTRY_AUTHORIZATION,
  REGISTRY_PASSWORD,
  REGISTRY_USER,
  startRegistry,
  type TestRegistry,
} from './test-registry.ts';

const missing = requires('root', 'runc', 'conmon', 'kubectl', 'busybox');
const noRegistry = everything ? requires('docker-registry') : 'only with K8TS_EVERYTHING=1';

/** A credential provider that knows the test's registry. */
function installProvider(directory: string, host: string): { config: string; binDirectory: string } {
  const answer = {
    kind: 'CredentialProviderResponse',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    cacheKeyType: 'Registry',
    cacheDuration: '1h',
    auth: { [host]: { username: REGISTRY_USER, password: REGISTRY_PASSWORD } },
  };
  writeFileSync(
    join(directory, 'provider'),
    `#!/bin/sh\ncat >> "${directory}/asked"\necho '${JSON.stringify(answer)}'\n`,
    { mode: 0o755 },
  );
  const config = join(directory, 'config.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1',
      kind: 'CredentialProviderConfig',
      providers: [
        {
          name: 'provider',
          matchImages: [host],
          defaultCacheDuration: '1m',
          apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
        },
      ],
    }),
  );
  return { config, binDirectory: directory };
}

/** What a kubelet offers beyond running pods, with real containers. */
describe.skipIf(missing)(`a node's kubelet${missing ? ` (${missing})` : ''}`, () => {
  let c: NodeCluster;
  let registry: TestRegistry | undefined;
  const plugins = mkdtempSync(join(os.tmpdir(), 'k8ts-providers-'));
  beforeAll(async () => {
    registry = noRegistry ? undefined : await startRegistry({ authentication: true });
    c = await startNodeCluster({
      kubelet: {
        ...(registry === undefined ? {} : { credentialProviders: installProvider(plugins, registry.host) }),
        shutdownGracePeriod: 6000,
        shutdownGracePeriodCriticalPods: 3000,
        cpuManagerPolicy: 'static',
        reservedSystemCPUs: '0',
        memoryManagerPolicy: 'Static',
        reservedMemory: [{ numaNode: 0, limits: { memory: '100Mi' } }],
        topologyManagerPolicy: 'single-numa-node',
      },
    });
  });
  afterAll(async () => {
    await Promise.all([c?.close(), registry?.stop()]);
    rmSync(plugins, { recursive: true, force: true });
  });

  const pods = () => c.client.resource('v1/pods');
  const pod = (name: string): Promise<Pod> => pods().get({ namespace: 'default', name });
  const events = async (name: string): Promise<string[]> =>
    (
      await c.client.resource('v1/events').list({ namespace: 'default', fieldSelector: `involvedObject.name=${name}` })
    ).items.map(({ reason, message }) => `${reason}: ${message}`);
  const make = (
    name: string,
    container: Partial<Container>,
    more: Partial<NonNullable<Pod['spec']>> = {},
  ): Promise<Pod> =>
    pods().create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          { name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent', command: ['sleep', '1000'], ...container },
        ],
        ...more,
      },
    });
  const isReady = async (name: string): Promise<boolean> =>
    (await pod(name)).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  const exec = (name: string, command: string): Promise<string> => c.ok(['exec', name, '--', 'sh', '-c', command]);

  it.runIf(everything)('probes by gRPC, beside the other ways (long form)', async () => {
    // The machine's own Node runs the server in the container.
    const host = [
      ['usr', '/usr'],
      ['lib', '/usr/lib'],
      ['lib64', '/usr/lib64'],
      ['srv', join(import.meta.dirname)],
      ['modules', join(import.meta.dirname, '..', 'node_modules')],
    ] as const;
    const mountPaths: Record<string, string> = {
      usr: '/usr',
      lib: '/lib',
      lib64: '/lib64',
      srv: '/srv/test',
      modules: '/srv/node_modules',
    };
    const grpc = (port: number, service?: string, more: object = {}) => ({
      grpc: { port, ...(service === undefined ? {} : { service }) },
      periodSeconds: 1,
      timeoutSeconds: 30,
      failureThreshold: 1,
      ...more,
    });
    const server = (name: string, argument: string, probes: Partial<Container>): Promise<Pod> =>
      make(
        name,
        {
          command: [
            'sh',
            '-c',
            `mkdir /state; touch /state/serving; exec node /srv/test/grpc-health-server.cjs 9000 ${argument}`,
          ],
          env: [{ name: 'PATH', value: '/bin:/usr/bin' }],
          volumeMounts: host.map(([volume]) => ({ name: volume, mountPath: mountPaths[volume] ?? '', readOnly: true })),
          ...probes,
        },
        { volumes: host.map(([volume, path]) => ({ name: volume, hostPath: { path } })) },
      );
    await server('health', '', {
      startupProbe: { tcpSocket: { port: 9000 }, periodSeconds: 1, failureThreshold: 60 },
      readinessProbe: grpc(9000, 'web'),
      livenessProbe: { exec: { command: ['test', '-d', '/state'] }, periodSeconds: 1, timeoutSeconds: 30 },
    });
    await server('strange', '', { readinessProbe: grpc(9000, 'other') });
    await server('silent', 'without-health', { readinessProbe: grpc(9000) });
    await c.until('the server is ready', () => isReady('health'));
    await exec('health', 'rm /state/serving');
    await c.until('it is not ready', async () => !(await isReady('health')));
    expect(await events('health')).toContain(
      'Unhealthy: Readiness probe failed: service unhealthy (responded with "NOT_SERVING")',
    );
    await exec('health', 'touch /state/serving');
    await c.until('it is ready again', () => isReady('health'));
    await c.until('a service that is unknown is told', async () =>
      (await events('strange')).includes(
        'Unhealthy: Readiness probe failed: error: health rpc probe failed: rpc error: code = NotFound desc = unknown service',
      ),
    );
    await c.until('a server without the protocol is told', async () =>
      (await events('silent')).some((event) =>
        event.startsWith(
          'Unhealthy: Readiness probe failed: error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ',
        ),
      ),
    );
    expect((await pod('health')).status?.containerStatuses?.[0]?.restartCount).toBe(0);
    await c.ok('delete pod health strange silent --now');
  });

  it.runIf(everything && os.cpus().length > 1)(
    'allocates CPUs exclusively to guaranteed pods, and takes them from the shared pool while they run (long form)',
    async () => {
      const allowed = async (name: string): Promise<string> =>
        (await exec(name, 'grep -h Cpus_allowed_list /proc/self/status')).trim().replace(/^.*\t/, '');
      const last = os.cpus().length - 1;
      const everyone = `0-${last}`;
      const whole = (cpu: string) => ({ resources: { limits: { cpu, memory: '32Mi' } } });
      await make('shared', {});
      await c.until('it runs', () => isReady('shared'));
      expect(await allowed('shared')).toBe(everyone);
      await make('pinned', whole(String(last)));
      await c.until('it runs', () => isReady('pinned'));
      expect(await allowed('pinned')).toBe(last === 1 ? '1' : `1-${last}`);
      await c.until('the other has what is left', async () => (await allowed('shared')) === '0');
      expect(JSON.parse(readFileSync(join(c.directory, 'node', 'kubelet', 'cpu_manager_state'), 'utf8'))).toMatchObject(
        { policyName: 'static', defaultCpuSet: '0' },
      );
      await pods().create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'refused', namespace: 'default' },
        spec: {
          nodeName: 'node-1',
          containers: [{ name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent', ...whole('1') }],
        },
      });
      await c.until('it is refused', async () => (await pod('refused')).status?.phase === 'Failed');
      expect((await pod('refused')).status).toMatchObject({
        reason: 'OutOfcpu',
        message: `Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: ${last}000, capacity: ${last}000`,
      });
      await c.ok('delete pod pinned refused --now');
      await c.until('the other has all again', async () => (await allowed('shared')) === everyone);
      await c.ok('delete pod shared --now');
    },
  );

  it('allocates devices of a driver to pods that claim them, from the slice to the container', async () => {
    const DRIVER = 'test.k8ts.dev';
    const kubelet = join(c.directory, 'node', 'kubelet');
    const endpoint = join(c.directory, 'dra.sock');
    const spec = `/var/run/cdi/k8ts-test-${process.pid}.json`;
    const calls: string[] = [];
    const claims = (
      all: readonly draV1.Claim[] | undefined,
      what: string,
      answer: draV1.NodePrepareResourceResponse,
    ) => {
      calls.push(what);
      return Promise.resolve({ claims: Object.fromEntries((all ?? []).map(({ uid = '' }) => [uid, answer])) });
    };
    const driver = new GrpcServer().add({ package: draV1.PACKAGE, descriptor: draV1.descriptor }, 'DRAPlugin', {
      nodePrepareResources: (request: draV1.NodePrepareResourcesRequest) =>
        claims(request.claims, 'prepare', {
          devices: [
            {
              requestNames: ['one'],
              poolName: 'node-1',
              deviceName: 'thing-0',
              cdiDeviceIds: [`${DRIVER}/thing=thing-0`],
            },
          ],
        }),
      nodeUnprepareResources: (request: draV1.NodeUnprepareResourcesRequest) => claims(request.claims, 'unprepare', {}),
    });
    const announced = new GrpcServer().add(
      { package: registration.PACKAGE, descriptor: registration.descriptor },
      'Registration',
      {
        getInfo: () =>
          Promise.resolve({ type: 'DRAPlugin', name: DRIVER, endpoint, supportedVersions: ['v1.DRAPlugin'] }),
        notifyRegistrationStatus: ({ pluginRegistered }: registration.RegistrationStatus) => {
          calls.push(`registered ${pluginRegistered}`);
          return Promise.resolve({});
        },
      },
    );
    mkdirSync('/var/run/cdi', { recursive: true });
    writeFileSync(
      spec,
      JSON.stringify({
        cdiVersion: '0.6.0',
        kind: `${DRIVER}/thing`,
        devices: [{ name: 'thing-0', containerEdits: { env: ['THING=thing-0'] } }],
      }),
    );
    try {
      await driver.listen(`unix://${endpoint}`);
      await announced.listen(`unix://${join(kubelet, 'plugins_registry', 'test.sock')}`);
      await c.until('the driver is registered', () => calls.includes('registered true'));
      const v1 = 'resource.k8s.io/v1';
      await c.client.resource('resource.k8s.io/v1/resourceslices').create({
        apiVersion: v1,
        kind: 'ResourceSlice',
        metadata: { name: 'things' },
        spec: {
          driver: DRIVER,
          nodeName: 'node-1',
          pool: { name: 'node-1', generation: 1, resourceSliceCount: 1 },
          devices: [{ name: 'thing-0' }],
        },
      });
      await c.client.resource('resource.k8s.io/v1/deviceclasses').create({
        apiVersion: v1,
        kind: 'DeviceClass',
        metadata: { name: 'thing' },
        spec: { selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }] },
      });
      await c.client.resource('resource.k8s.io/v1/resourceclaimtemplates').create({
        apiVersion: v1,
        kind: 'ResourceClaimTemplate',
        metadata: { name: 'thing', namespace: 'default' },
        spec: {
          spec: {
            devices: {
              requests: [
                { name: 'one', exactly: { deviceClassName: 'thing', allocationMode: 'ExactCount', count: 1 } },
              ],
            },
          },
        },
      });
      await make(
        'claimer',
        { resources: { claims: [{ name: 'thing' }] } },
        { resourceClaims: [{ name: 'thing', resourceClaimTemplateName: 'thing' }] },
      );
      await c.until('it runs', () => isReady('claimer'));
      expect(await exec('claimer', 'echo $THING')).toBe('thing-0\n');
      const connection = connectGrpc(join(kubelet, 'pod-resources', 'kubelet.sock'));
      const lister = connection.service<podResources.PodResourcesLister>(
        { package: podResources.PACKAGE, descriptor: podResources.descriptor },
        'PodResourcesLister',
      );
      expect(
        (await lister.get({ podName: 'claimer', podNamespace: 'default' })).podResources?.containers?.[0]
          ?.dynamicResources?.[0]?.claimResources,
      ).toMatchObject([
        {
          driverName: DRIVER,
          poolName: 'node-1',
          deviceName: 'thing-0',
          cdiDevices: [{ name: `${DRIVER}/thing=thing-0` }],
        },
      ]);
      connection.close();
      await c.ok('delete pod claimer --now');
      expect(calls).toEqual(['registered true', 'prepare', 'unprepare']);
    } finally {
      rmSync(spec, { force: true });
      announced.close();
      driver.close();
    }
  });

  it.runIf(everything && !noRegistry)('pulls with credentials that a plugin has (long form)', async () => {
    const host = registry?.host ?? '';
    for (const tag of ['v1', 'v2'])
      await pushImage(busyboxImage(`app-${tag}`), {
        registry: registry?.url ?? '',
        repository: 'team/app',
        tag,
        authorization: REGISTRY_AUTHORIZATION,
      });
    for (const tag of ['v1', 'v2'])
      await make(`pulled-${tag}`, { image: `${host}/team/app:${tag}`, imagePullPolicy: 'Always' });
    for (const tag of ['v1', 'v2']) await c.until('it runs', () => isReady(`pulled-${tag}`));
    expect(readFileSync(join(plugins, 'asked'), 'utf8')).toBe(
      JSON.stringify({
        kind: 'CredentialProviderRequest',
        apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
        image: `${host}/team/app`,
      }),
    );
    await c.ok('delete pod pulled-v1 pulled-v2 --now');
  });

  /** The last: nothing starts on this node any more. */
  it('stops its pods before the machine shuts down, critical ones last', async () => {
    const polite = ['sh', '-c', 'trap "exit 0" TERM; sleep 1000 & wait'];
    await make('critical', { command: polite }, { priorityClassName: 'system-cluster-critical' });
    await make('polite', { command: polite }, { terminationGracePeriodSeconds: 30 });
    await make(
      'stubborn',
      { command: ['sh', '-c', 'trap "" TERM; while true; do sleep 0.1; done'] },
      { terminationGracePeriodSeconds: 2 },
    );
    for (const name of ['critical', 'polite', 'stubborn']) await c.until(`${name} runs`, () => isReady(name));
    await c.node.kubelet.shutDown();
    const ended = new Map<string, number>();
    for (const name of ['critical', 'polite', 'stubborn']) {
      await c.until(`${name} has ended`, async () => (await pod(name)).status?.phase === 'Failed');
      const { status } = await pod(name);
      expect(status).toMatchObject({
        reason: 'Terminated',
        message: 'Pod was terminated in response to imminent node shutdown.',
      });
      ended.set(name, Date.parse(status?.containerStatuses?.[0]?.state?.terminated?.finishedAt ?? ''));
    }
    expect((await pod('stubborn')).status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
    expect((await pod('polite')).status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0);
    expect(ended.get('critical')).toBeGreaterThanOrEqual(ended.get('stubborn') ?? Infinity);
    await c.until(
      'the node says so',
      async () =>
        (await c.client.resource('v1/nodes').get({ name: 'node-1' })).status?.conditions?.find(
          ({ type }) => type === 'Ready',
        )?.status === 'False',
    );
  });
});
