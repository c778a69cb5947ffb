/** The scheduler against the real API server, in memory and on the virtual clock; and builders for pods and nodes. */
import type { Container, Node, Pod, PodSpec, Taint } from '../../api/generated/core-v1.ts';
import { startTestServer, type TestServer } from '../../apiserver/testing/index.ts';
import { Client } from '../../client/index.ts';
import { inProcessTransport } from '../../cluster/in-process-transport.ts';
import { childContext, PrometheusRegistry, RealClock, SeededRandom, type VirtualClock } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import type { Cache } from '../cache/cache.ts';
import { DEFAULT_CONFIG, DEFAULT_PROFILE } from '../config/defaults.ts';
import type { SchedulerConfiguration } from '../config/types.ts';
import { Explanations } from '../explanations/explanations.ts';
import { buildProfile, type PluginRegistry } from '../framework/build-profile.ts';
import type { Handle } from '../framework/handle.ts';
import type { Profile } from '../framework/profile.ts';
import { schedulerMetrics } from '../metrics.ts';
import { plugins } from '../plugins/registry.ts';
import { run } from '../run.ts';
import type { SpeedOptions } from '../speed-options.ts';

/** Files and threads take real time, whatever the cluster's clock says. */
const realTime = new RealClock();

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const SCHEDULER = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };

export interface SchedulerFixture {
  readonly server: TestServer;
  readonly clock: VirtualClock;
  /** A client of the test's own, as cluster admin. */
  readonly client: Client;
  readonly explanations: Explanations;
  start(): Promise<void>;
  stopScheduler(): Promise<void>;
  advance(ms: number): Promise<void>;
  until(what: string, condition: () => Promise<boolean>, limitMs?: number): Promise<void>;
  createNode(node: NodeBuilder | Node): Promise<void>;
  createPod(pod: PodBuilder | Pod): Promise<void>;
  pod(name: string): Promise<Pod>;
  /** Waits until the pod has a node and gives its name. */
  placed(name: string): Promise<string>;
  /** Waits until the pod is said to be unschedulable and gives the message. */
  turnedDown(name: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startSchedulerFixture(
  options: {
    config?: Partial<SchedulerConfiguration>;
    plugins?: PluginRegistry;
    speed?: Partial<SpeedOptions>;
  } = {},
): Promise<SchedulerFixture> {
  const server = await startTestServer();
  const { ctx } = server;
  const clientAs = (user: typeof ADMIN): Client =>
    new Client({
      transport: inProcessTransport({ handle: server.pipeline.handle, user, signal: ctx.signal }),
      clock: ctx.clock,
      userAgent: 'test',
    });
  const client = clientAs(ADMIN);
  const config = { ...DEFAULT_CONFIG, leaderElect: false, ...options.config };
  let running: { stop: AbortController; done: Promise<void> } | undefined;
  let explanations = new Explanations();

  const fixture: SchedulerFixture = {
    server,
    clock: ctx.clock,
    client,
    get explanations() {
      return explanations;
    },
    async start() {
      await fixture.stopScheduler();
      const stop = new AbortController();
      explanations = new Explanations();
      const inner = childContext(ctx, 'kube-scheduler', AbortSignal.any([ctx.signal, stop.signal]));
      const done = run(inner, {
        client: clientAs(SCHEDULER),
        config,
        identity: 'test',
        explanations,
        plugins: options.plugins,
        speed: options.speed,
      });
      done.catch(() => {});
      running = { stop, done };
      await ctx.clock.advance(1);
    },
    async stopScheduler() {
      if (!running) return;
      running.stop.abort(new Error('scheduler stopped'));
      await ctx.clock.drive(running.done.catch(() => {}));
      running = undefined;
    },
    async advance(ms) {
      await ctx.clock.advance(ms);
    },
    until: (what, condition, limitMs = 30_000) =>
      until(what, condition, { clock: ctx.clock, limitMs, details: () => ctx.logLines.slice(-10).join('\n') }),
    async createNode(node) {
      const { status, ...rest } = 'obj' in node ? node.obj() : node;
      await client.resource('v1/nodes').create(rest);
      await client
        .resource('v1/nodes')
        .patch({ name: rest.metadata.name! }, { status }, { type: 'merge', subresource: 'status' });
      /** New nodes are tainted as not ready; nobody is here to take that away. */
      await client
        .resource('v1/nodes')
        .patch({ name: rest.metadata.name! }, { spec: { taints: rest.spec?.taints ?? null } }, { type: 'merge' });
    },
    async createPod(pod) {
      const object = 'obj' in pod ? pod.obj() : pod;
      await client.resource('v1/pods').create(object);
    },
    pod: (name) => client.resource('v1/pods').get({ namespace: 'default', name }),
    async placed(name) {
      let node = '';
      await fixture.until(
        `pod ${name} has a node`,
        async () => (node = (await fixture.pod(name)).spec?.nodeName ?? '') !== '',
      );
      return node;
    },
    async turnedDown(name) {
      let message = '';
      await fixture.until(`pod ${name} is turned down`, async () => {
        const condition = (await fixture.pod(name)).status?.conditions?.find((c) => c.type === 'PodScheduled');
        message = condition?.message ?? '';
        return condition?.reason === 'Unschedulable';
      });
      return message;
    },
    async stop() {
      await fixture.stopScheduler();
      await server.stop();
    },
  };
  return fixture;
}

export class NodeBuilder {
  readonly #node: Node;

  constructor(name: string) {
    this.#node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      spec: {},
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
    };
  }

  allocatable(resources: Record<string, string>): this {
    this.#node.status!.allocatable = { ...this.#node.status!.allocatable, ...resources };
    return this;
  }

  label(key: string, value: string): this {
    this.#node.metadata.labels![key] = value;
    return this;
  }

  zone(zone: string): this {
    return this.label('topology.kubernetes.io/zone', zone);
  }

  taint(taint: Taint): this {
    this.#node.spec!.taints = [...(this.#node.spec!.taints ?? []), taint];
    return this;
  }

  unschedulable(): this {
    this.#node.spec!.unschedulable = true;
    return this;
  }

  declares(...features: string[]): this {
    this.#node.status!.declaredFeatures = features;
    return this;
  }

  image(name: string, sizeBytes: number): this {
    this.#node.status!.images = [...(this.#node.status!.images ?? []), { names: [name], sizeBytes }];
    return this;
  }

  obj(): Node {
    const { status } = this.#node;
    return { ...this.#node, status: { ...status, capacity: status!.allocatable } };
  }
}

export class PodBuilder {
  readonly #pod: Pod & { spec: PodSpec };

  constructor(name: string, namespace = 'default') {
    const container: Container = { name: 'c', image: 'example.com/app:1' };
    this.#pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, labels: {} },
      spec: { containers: [container] },
    };
  }

  requests(requests: Record<string, string>): this {
    this.#pod.spec.containers[0]!.resources = {
      requests,
      limits: Object.fromEntries(
        Object.entries(requests).filter(([name]) => name.includes('/') || name.startsWith('hugepages')),
      ),
    };
    return this;
  }

  label(key: string, value: string): this {
    this.#pod.metadata.labels![key] = value;
    return this;
  }

  priority(priority: number): this {
    this.#pod.spec.priority = priority;
    return this;
  }

  node(nodeName: string): this {
    this.#pod.spec.nodeName = nodeName;
    return this;
  }

  uid(uid: string): this {
    this.#pod.metadata.uid = uid;
    return this;
  }

  hostPort(hostPort: number): this {
    this.#pod.spec.containers[0]!.ports = [{ containerPort: hostPort, hostPort }];
    return this;
  }

  spec(spec: Partial<PodSpec>): this {
    Object.assign(this.#pod.spec, spec);
    return this;
  }

  obj(): Pod {
    return this.#pod;
  }
}

export const makeNode = (name: string): NodeBuilder => new NodeBuilder(name);
export const makePod = (name: string, namespace?: string): PodBuilder => new PodBuilder(name, namespace);

/** The default plugins on a cache alone: for tests of decisions, with no API server and no claims. */
export function testProfile(cache: Cache): Profile {
  const nothing = {
    get: () => undefined,
    list: () => [],
    services: () => [],
    replicationController: () => undefined,
    replicaSet: () => undefined,
    statefulSet: () => undefined,
  };
  const handle = {
    cache,
    client: { resource: () => undefined },
    listers: nothing,
    labelsOf: () => ({}),
    random: new SeededRandom(1),
    clock: realTime,
    metrics: schedulerMetrics(new PrometheusRegistry()),
    featureGates: {},
    extenders: [],
    informers: { informer: () => undefined },
  } as unknown as Handle;
  return buildProfile(DEFAULT_PROFILE, plugins, handle);
}
