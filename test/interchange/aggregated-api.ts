/**
 * Upstream's sample API server as an aggregated API, in a network namespace that has a cable to this one: API servers do not dial
 * loopback addresses for the endpoints of a Service.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import net from 'node:net';
import { isNotFound } from '../../src/client/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { listenIn, runIn } from '../../src/net/netns/index.ts';
import { TestNamespaces } from '../../src/net/netns/testing/index.ts';
import { findProgram, requires } from '../requires.ts';
import type { ControlPlane } from './control-plane.ts';

/** Why there cannot be one; undefined when there can. */
export const aggregatedApiMissing = requires('root', 'ip', 'nsenter', 'sample-apiserver');

/** Upstream's API server goes to the addresses of Services otherwise, which only kube-proxy knows. */
export const AGGREGATION_FLAGS = ['--enable-aggregator-routing=true'];

const SERVICE = { name: 'wardle', namespace: 'default' };
const GROUP = 'wardle.example.com';
const PORT = 4443;
export const FLUNDERS = `/apis/${GROUP}/v1alpha1/namespaces/default/flunders`;

export class AggregatedApi {
  readonly #namespaces = new TestNamespaces();
  readonly #plane: ControlPlane;
  readonly #relays: net.Server[] = [];
  #child: ChildProcess | undefined;

  private constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  static async start(plane: ControlPlane): Promise<AggregatedApi> {
    const api = new AggregatedApi(plane);
    try {
      const address = await api.#link();
      await api.#run(address);
      await api.#register(address);
      return api;
    } catch (error) {
      await api.close();
      throw error;
    }
  }

  /** The API server that runs now serves the group. */
  async untilServed(): Promise<void> {
    const isServed = (): Promise<boolean> =>
      this.#plane.client.request({ method: 'GET', path: FLUNDERS }).then(
        () => true,
        () => false,
      );
    await until('the aggregated API is served', isServed, {
      limitMs: 60_000,
      intervalMs: 500,
      details: () => readFileSync(this.#plane.file('sample-apiserver.log'), 'utf8').slice(-2000),
    });
  }

  async createFlunder(name: string): Promise<void> {
    const body = {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'Flunder',
      metadata: { name },
      spec: { flunderReference: 'a' },
    };
    await this.#plane.client.request({ method: 'POST', path: FLUNDERS, body });
  }

  /** The objects of the group as the API server that runs now gives them. */
  async flunders(): Promise<unknown> {
    try {
      const { body } = await this.#plane.client.request({ method: 'GET', path: FLUNDERS });
      return (body as { items: unknown }).items;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    for (const relay of this.#relays) relay.close();
    // The cable goes with the namespace.
    this.#namespaces.close();
  }

  /** A namespace of its own, joined to this one; its address. */
  async #link(): Promise<string> {
    const netns = this.#namespaces.create('aggregated');
    const [here, there] = [`k8ts-${process.pid}`, '10.255.254.2'];
    // The kernel removes the cable of an earlier namespace some time after it.
    await runIn('ip', ['link', 'del', here]).catch(() => undefined);
    await runIn('ip', ['link', 'add', here, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', netns]);
    await runIn('ip', ['addr', 'add', '10.255.254.1/30', 'dev', here]);
    await runIn('ip', ['link', 'set', here, 'up']);
    for (const command of ['link set lo up', `addr add ${there}/30 dev eth0`, 'link set eth0 up'])
      await runIn('ip', command.split(' '), { netns });
    for (const port of [this.#plane.port, Number(new URL(this.#plane.etcdUrl).port)]) await this.#relay(netns, port);
    return there;
  }

  /** Makes a port of this namespace's loopback reachable in the other one. */
  async #relay(netns: string, port: number): Promise<void> {
    const server = net.createServer((inside) => {
      const outside = net.connect(port, '127.0.0.1');
      inside.on('error', () => outside.destroy()).pipe(outside);
      outside.on('error', () => inside.destroy()).pipe(inside);
    });
    await listenIn(server, { netns, host: '127.0.0.1', port });
    this.#relays.push(server);
  }

  async #run(address: string): Promise<void> {
    const plane = this.#plane;
    const flags = [
      `--etcd-servers=${plane.etcdUrl}`,
      `--kubeconfig=${plane.kubeconfig}`,
      `--authentication-kubeconfig=${plane.kubeconfig}`,
      `--authorization-kubeconfig=${plane.kubeconfig}`,
      `--bind-address=${address}`,
      `--secure-port=${PORT}`,
      `--cert-dir=${plane.file('sample-apiserver')}`,
    ];
    const netns = `${this.#namespaces.directory}/aggregated`;
    const child = spawn('nsenter', [`--net=${netns}`, findProgram('sample-apiserver')!, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const log = createWriteStream(plane.file('sample-apiserver.log'));
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
  }

  async #register(address: string): Promise<void> {
    const { client } = this.#plane;
    await client
      .resource('v1/services')
      .create({ metadata: SERVICE, spec: { ports: [{ port: 443, targetPort: PORT }] } });
    await client.resource('discovery.k8s.io/v1/endpointslices').create({
      metadata: { ...SERVICE, labels: { 'kubernetes.io/service-name': SERVICE.name } },
      addressType: 'IPv4',
      ports: [{ name: '', port: PORT, protocol: 'TCP' }],
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
    });
    await client.resource('apiregistration.k8s.io/v1/apiservices').create({
      metadata: { name: `v1alpha1.${GROUP}` },
      spec: {
        group: GROUP,
        version: 'v1alpha1',
        service: SERVICE,
        groupPriorityMinimum: 2000,
        versionPriority: 15,
        insecureSkipTLSVerify: true,
      },
    });
    await this.untilServed();
  }
}
