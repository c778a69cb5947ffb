import { afterEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../apiserver/testing/index.ts';
import { Client } from '../client/index.ts';
import { inProcessTransport } from '../cluster/in-process-transport.ts';
import { childContext } from '../kernel/index.ts';
import { DEFAULT_CLOUD_CONFIG } from './config.ts';
import { localCloud, type LocalInfrastructure, type LocalInstance } from './local-cloud.ts';
import type { CloudProvider } from './provider.ts';
import { run } from './run.ts';

interface Fixture {
  readonly server: TestServer;
  readonly client: Client;
  readonly machine: Machine;
  until(what: string, condition: () => Promise<boolean>): Promise<void>;
}

/** A machine of the test's own: nodes, routes and what they answer. */
class Machine implements LocalInfrastructure {
  readonly nodes = new Map<string, LocalInstance>();
  readonly addresses = new Map<string, readonly string[]>();
  readonly loadBalancerRanges = ['10.64.0.128/29'];
  readonly unhealthy = new Set<string>();
  readonly silent = new Set<string>();
  readonly probes: string[] = [];

  add(name: string, address: string): void {
    this.nodes.set(name, { name, addresses: [address], podCidrs: [], running: true });
  }

  instances = (): readonly LocalInstance[] => [...this.nodes.values()];

  async setPodCidrs(node: string, podCidrs: readonly string[]): Promise<void> {
    const instance = this.nodes.get(node);
    if (!instance) throw new Error(`no node ${node}`);
    this.nodes.set(node, { ...instance, podCidrs });
  }

  podRoutes = async (): Promise<readonly { node: string; podCidr: string }[]> =>
    this.instances().flatMap(({ name, podCidrs }) => podCidrs.map((podCidr) => ({ node: name, podCidr })));

  async routeAddress(address: string, nodes: readonly string[]): Promise<void> {
    this.addresses.set(address, nodes);
  }

  async unrouteAddress(address: string): Promise<void> {
    this.addresses.delete(address);
  }

  async probe(address: string, port: number, path: string): Promise<boolean | undefined> {
    this.probes.push(`${address}:${port}${path}`);
    if (this.silent.has(address)) return undefined;
    return !this.unhealthy.has(address);
  }
}

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function start(provider?: (machine: Machine) => CloudProvider): Promise<Fixture> {
  const server = await startTestServer();
  const { ctx } = server;
  const client = new Client({
    transport: inProcessTransport({
      handle: server.pipeline.handle,
      user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
      signal: ctx.signal,
    }),
    clock: ctx.clock,
    userAgent: 'test',
  });
  const machine = new Machine();
  const stop = new AbortController();
  const inner = childContext(ctx, 'cloud', AbortSignal.any([ctx.signal, stop.signal]));
  const cloud = provider?.(machine) ?? localCloud({ infrastructure: machine, clock: ctx.clock, logger: ctx.logger });
  const running = run(inner, {
    client,
    provider: cloud,
    config: { ...DEFAULT_CLOUD_CONFIG, leaderElect: false },
    identity: 'test',
  });
  endings.push(
    async () => server.stop(),
    async () => {
      stop.abort(new Error('the test has ended'));
      await ctx.clock.drive(running.catch(() => {}));
    },
  );
  return {
    server,
    client,
    machine,
    until: async (what, condition) => {
      for (let waited = 0; waited < 60_000; waited += 100) {
        if (await condition()) return;
        await ctx.clock.advance(100);
      }
      throw new Error(`after a minute of virtual time: ${what}\n${ctx.logLines.slice(-5).join('\n')}`);
    },
  };
}

const uninitialized = (name: string, podCIDR?: string) => ({
  metadata: { name },
  spec: {
    taints: [
      { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
      { key: 'mine', effect: 'NoSchedule' },
    ],
    ...(podCIDR ? { podCIDR, podCIDRs: [podCIDR] } : {}),
  },
});

const events = async ({ client }: Fixture): Promise<string[]> =>
  (await client.resource('v1/events').list()).items.map(({ reason, message }) => `${reason}: ${message}`);

describe('nodes', () => {
  it('learn their provider id, addresses and labels, and lose the taint, no other', async () => {
    const fixture = await start();
    fixture.machine.add('n1', '10.64.0.2');
    await fixture.client.resource('v1/nodes').create(uninitialized('n1'));
    const get = () => fixture.client.resource('v1/nodes').get({ name: 'n1' });
    await fixture.until(
      'initialized',
      async () => !(await get()).spec?.taints?.some(({ key }) => key.includes('uninitialized')),
    );
    const node = await get();
    expect(node.spec).toMatchObject({ providerID: 'local://n1' });
    expect(node.spec?.taints?.map(({ key }) => key)).toContain('mine');
    expect(node.metadata.labels).toMatchObject({
      'topology.kubernetes.io/zone': 'local-a',
      'topology.kubernetes.io/region': 'local',
      'node.kubernetes.io/instance-type': 'namespace',
    });
    expect(node.status?.addresses).toEqual([
      { type: 'InternalIP', address: '10.64.0.2' },
      { type: 'Hostname', address: 'n1' },
    ]);
  });

  it('are deleted with their instance, and tainted when it is shut down', async () => {
    const fixture = await start();
    const nodes = fixture.client.resource('v1/nodes');
    for (const name of ['gone', 'off', 'ready']) fixture.machine.add(name, '10.64.0.9');
    for (const name of ['gone', 'off', 'ready'])
      await nodes.create({ metadata: { name }, spec: { providerID: `local://${name}` } });
    const conditions = (status: string) => ({ conditions: [{ type: 'Ready', status }] });
    for (const [name, status] of [
      ['gone', 'Unknown'],
      ['off', 'Unknown'],
      ['ready', 'True'],
    ] as const)
      await nodes.patch({ name }, { status: conditions(status) }, { type: 'merge', subresource: 'status' });
    for (const name of ['gone', 'ready']) fixture.machine.nodes.delete(name);
    fixture.machine.nodes.set('off', { name: 'off', addresses: [], podCidrs: [], running: false });
    await fixture.until(
      'the node is deleted',
      async () => !(await nodes.list()).items.some(({ metadata }) => metadata.name === 'gone'),
    );
    await fixture.until(
      'the node is tainted',
      async () =>
        (await nodes.get({ name: 'off' })).spec?.taints?.some(
          ({ key }) => key === 'node.cloudprovider.kubernetes.io/shutdown',
        ) ?? false,
    );
    // A ready node is believed, whatever the cloud says.
    expect((await nodes.list()).items.map(({ metadata }) => metadata.name)).toEqual(['off', 'ready']);
    await nodes.patch({ name: 'off' }, { status: conditions('True') }, { type: 'merge', subresource: 'status' });
    await fixture.until(
      'the taint is lifted',
      async () =>
        !(await nodes.get({ name: 'off' })).spec?.taints?.some(
          ({ key }) => key === 'node.cloudprovider.kubernetes.io/shutdown',
        ),
    );
    await fixture.until('an event tells', async () =>
      (await events(fixture)).includes(
        'DeletingNode: Deleting node gone because it does not exist in the cloud provider',
      ),
    );
  });
});

describe('routes', () => {
  it('lead to the pods of every node and nowhere else, and the node has the condition', async () => {
    const fixture = await start();
    fixture.machine.add('n1', '10.64.0.2');
    fixture.machine.nodes.set('old', { name: 'old', addresses: [], podCidrs: ['10.244.9.0/24'], running: true });
    const nodes = fixture.client.resource('v1/nodes');
    await nodes.create(uninitialized('n1', '10.244.0.0/24'));
    await fixture.until(
      'routes',
      async () =>
        JSON.stringify(await fixture.machine.podRoutes()) ===
        JSON.stringify([{ node: 'n1', podCidr: '10.244.0.0/24' }]),
    );
    await fixture.until(
      'the condition',
      async () =>
        (await nodes.get({ name: 'n1' })).status?.conditions?.some(
          ({ type, status, reason }) =>
            type === 'NetworkUnavailable' && status === 'False' && reason === 'RouteCreated',
        ) ?? false,
    );
  });
});

describe('load balancers', () => {
  const balanced = (name: string, more: object = {}) => ({
    metadata: { name, namespace: 'default' },
    spec: { type: 'LoadBalancer', selector: { app: name }, ports: [{ port: 80 }], ...more },
  });
  async function withNode(): Promise<Fixture> {
    const fixture = await start();
    fixture.machine.add('n1', '10.64.0.2');
    await fixture.client.resource('v1/nodes').create(uninitialized('n1'));
    return fixture;
  }
  const get = (fixture: Fixture, name: string) =>
    fixture.client.resource('v1/services').get({ name, namespace: 'default' });
  const ingress = async (fixture: Fixture, name: string) =>
    (await get(fixture, name)).status?.loadBalancer?.ingress?.map(({ ip }) => ip);

  it('get an address that leads to healthy nodes, a finalizer and events', async () => {
    const fixture = await withNode();
    await fixture.client.resource('v1/services').create(balanced('web'));
    await fixture.until('an address', async () => (await ingress(fixture, 'web'))?.[0] === '10.64.0.129');
    expect((await get(fixture, 'web')).metadata.finalizers).toEqual(['service.kubernetes.io/load-balancer-cleanup']);
    await fixture.until('a route', async () => fixture.machine.addresses.get('10.64.0.129')?.join() === '10.64.0.2');
    fixture.machine.unhealthy.add('10.64.0.2');
    await fixture.until(
      'the sick node is left out',
      async () => fixture.machine.addresses.get('10.64.0.129')?.length === 0,
    );
    fixture.machine.unhealthy.clear();
    fixture.machine.add('n2', '10.64.0.3');
    await fixture.client.resource('v1/nodes').create(uninitialized('n2'));
    await fixture.until(
      'the new node takes part',
      async () => fixture.machine.addresses.get('10.64.0.129')?.join() === '10.64.0.2,10.64.0.3',
    );
    await fixture.until('events', async () => {
      const all = await events(fixture);
      return [
        'EnsuringLoadBalancer: Ensuring load balancer',
        'EnsuredLoadBalancer: Ensured load balancer',
        'UpdatedLoadBalancer: Updated load balancer with new hosts',
      ].every((event) => all.includes(event));
    });
  });

  it('leave out a node that fails two checks in a row, and share one check for each node', async () => {
    const fixture = await withNode();
    for (const name of ['web', 'other']) await fixture.client.resource('v1/services').create(balanced(name));
    await fixture.until('routes', async () =>
      [129, 130].every((last) => fixture.machine.addresses.get(`10.64.0.${last}`)?.join() === '10.64.0.2'),
    );
    const { probes, silent, addresses } = fixture.machine;
    const asked = (): number => probes.length;
    probes.length = 0;
    await fixture.until('they are asked again', async () => asked() > 0);
    silent.add('10.64.0.2');
    probes.length = 0;
    await fixture.until('it is silent once', async () => asked() === 1);
    expect(addresses.get('10.64.0.129')).toEqual(['10.64.0.2']);
    await fixture.until('it is left out', async () =>
      [129, 130].every((last) => addresses.get(`10.64.0.${last}`)?.length === 0),
    );
    expect(asked()).toBe(2);
    silent.clear();
    await fixture.until('it is back', async () =>
      [129, 130].every((last) => addresses.get(`10.64.0.${last}`)?.join() === '10.64.0.2'),
    );
  });

  it('use the healthCheckNodePort of a Service with externalTrafficPolicy Local', async () => {
    const fixture = await withNode();
    await fixture.client
      .resource('v1/services')
      .create(balanced('local', { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_234 }));
    await fixture.until('asked', async () => fixture.machine.probes.includes('10.64.0.2:31234/'));
  });

  it('are deleted with their Service, and when its type changes', async () => {
    const fixture = await withNode();
    const services = fixture.client.resource('v1/services');
    for (const name of ['a', 'b']) await services.create(balanced(name));
    await fixture.until('addresses', async () => fixture.machine.addresses.size === 2);
    await services.delete({ name: 'a', namespace: 'default' });
    await services.patch(
      { name: 'b', namespace: 'default' },
      {
        spec: {
          type: 'ClusterIP',
          externalTrafficPolicy: null,
          allocateLoadBalancerNodePorts: null,
          ports: [{ port: 80, nodePort: null }],
        },
      },
      { type: 'merge' },
    );
    await fixture.until('nothing is left', async () => fixture.machine.addresses.size === 0);
    await fixture.until(
      'the Service is gone',
      async () => !(await services.list()).items.some(({ metadata }) => metadata.name === 'a'),
    );
    await fixture.until('the other has neither finalizer nor address', async () => {
      const b = await get(fixture, 'b');
      return !b.metadata.finalizers?.length && !b.status?.loadBalancer?.ingress?.length;
    });
  });

  it('with a class are ignored; when all addresses are in use there is an event', async () => {
    const fixture = await withNode();
    const services = fixture.client.resource('v1/services');
    await services.create(balanced('other', { loadBalancerClass: 'example.com/lb' }));
    for (let i = 0; i < 7; i++) await services.create(balanced(`s${i}`));
    await fixture.until('events', async () =>
      (await events(fixture)).includes(
        'SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: all load balancer addresses of 10.64.0.128/29 are taken',
      ),
    );
    expect(fixture.machine.addresses.size).toBe(6);
    expect((await get(fixture, 'other')).metadata.finalizers).toBeUndefined();
  });

  it('a provider without them is no error', async () => {
    const fixture = await start(() => ({ name: 'bare' }));
    await fixture.client.resource('v1/services').create(balanced('web'));
    await fixture.server.ctx.clock.advance(5000);
    expect((await get(fixture, 'web')).metadata.finalizers).toBeUndefined();
  });
});
