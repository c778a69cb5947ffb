/**
 * The cloud provider of one machine: instances are its network namespaces for nodes, routes are kernel routes, and a
 * load balancer is an address that the host routes to healthy nodes, where kube-proxy takes over. The host forwards
 * packets unchanged, so every protocol works and pods see the client's address.
 */
import type { Node, Service } from '../api/generated/core-v1.ts';
import { AddressRange } from '../base/index.ts';
import { type Clock, type Logger } from '../kernel/index.ts';
import type { CloudProvider, InstanceMetadata, LoadBalancers, LoadBalancerStatus, Routes } from './provider.ts';

export interface LocalInstance {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly podCidrs: readonly string[];
  readonly running: boolean;
}

/** The machine's nodes and routes. */
export interface LocalInfrastructure {
  instances(): readonly LocalInstance[];
  setPodCidrs(node: string, podCidrs: readonly string[]): Promise<void>;
  podRoutes(): Promise<readonly { readonly node: string; readonly podCidr: string }[]>;
  /** Ranges of addresses for load balancers, one per family. */
  readonly loadBalancerRanges: readonly string[];
  /** Routes the address to the nodes with equal shares. Without nodes, packets for it are dropped. */
  routeAddress(address: string, nodeAddresses: readonly string[]): Promise<void>;
  unrouteAddress(address: string): Promise<void>;
  /** Whether GET http://address:port/path on a node answers with 200; undefined when nothing comes in time. */
  probe(address: string, port: number, path: string): Promise<boolean | undefined>;
}

interface LocalCloudOptions {
  readonly infrastructure: LocalInfrastructure;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly zone?: string;
  readonly region?: string;
}

const PROXY_HEALTH_PORT = 10_256;
const HEALTH_CHECK_MS = 1000;
/** A node is unhealthy after this number of checks in a row without an answer. */
const UNHEALTHY_THRESHOLD = 2;

export function localCloud(options: LocalCloudOptions): CloudProvider {
  const { infrastructure, zone = 'local-a', region = 'local' } = options;
  const find = (node: Node): LocalInstance | undefined =>
    infrastructure.instances().find(({ name }) => name === node.metadata.name);
  const loadBalancers = new LocalLoadBalancers(options);
  return {
    name: 'local',
    instances: {
      exists: (node) => Promise.resolve(find(node) !== undefined),
      isShutDown: (node) => Promise.resolve(find(node)?.running === false),
      metadata: (node): Promise<InstanceMetadata> => {
        const instance = find(node);
        if (!instance) return Promise.reject(new Error(`there is no instance ${node.metadata.name} on this machine`));
        return Promise.resolve({
          providerId: `local://${instance.name}`,
          instanceType: 'namespace',
          zone,
          region,
          addresses: [
            ...instance.addresses.map((address) => ({ type: 'InternalIP', address })),
            { type: 'Hostname', address: instance.name },
          ],
        });
      },
    },
    routes: localRoutes(infrastructure),
    loadBalancers,
    run: (signal) => loadBalancers.run(signal),
  };
}

function localRoutes(infrastructure: LocalInfrastructure): Routes {
  const rangesOf = (node: string): readonly string[] =>
    infrastructure.instances().find(({ name }) => name === node)?.podCidrs ?? [];
  return {
    list: async () =>
      (await infrastructure.podRoutes()).map(({ node, podCidr }) => ({ targetNode: node, destinationCidr: podCidr })),
    create: async (_cluster, _hint, { targetNode, destinationCidr }) =>
      infrastructure.setPodCidrs(targetNode, [...new Set([...rangesOf(targetNode), destinationCidr])]),
    delete: async (_cluster, { targetNode, destinationCidr }) =>
      infrastructure.setPodCidrs(
        targetNode,
        rangesOf(targetNode).filter((range) => range !== destinationCidr),
      ),
  };
}

interface Balancer {
  readonly addresses: readonly string[];
  nodes: readonly string[];
  /** The port and path of the nodes' health checks. */
  port: number;
  path: string;
  healthy: readonly string[] | undefined;
  /** The number of checks in a row without an answer, by node address. */
  readonly timeouts: Map<string, number>;
}

class LocalLoadBalancers implements LoadBalancers {
  readonly #balancers = new Map<string, Balancer>();

  readonly #options: LocalCloudOptions;

  constructor(options: LocalCloudOptions) {
    this.#options = options;
  }

  get(_cluster: string, service: Service): Promise<LoadBalancerStatus | undefined> {
    const balancer = this.#balancers.get(keyOf(service));
    return Promise.resolve(balancer && statusOf(balancer));
  }

  async ensure(_cluster: string, service: Service, nodes: readonly Node[]): Promise<LoadBalancerStatus> {
    const key = keyOf(service);
    const balancer = this.#balancers.get(key) ?? {
      addresses: this.#allocateAddresses(service),
      nodes: [],
      port: 0,
      path: '',
      healthy: undefined,
      timeouts: new Map<string, number>(),
    };
    this.#balancers.set(key, balancer);
    const isLocal = service.spec?.externalTrafficPolicy === 'Local' && service.spec.healthCheckNodePort;
    balancer.port = isLocal ? service.spec!.healthCheckNodePort! : PROXY_HEALTH_PORT;
    balancer.path = isLocal ? '/' : '/healthz';
    balancer.nodes = addressesOf(nodes);
    await this.#check(balancer);
    return statusOf(balancer);
  }

  async update(_cluster: string, service: Service, nodes: readonly Node[]): Promise<void> {
    const balancer = this.#balancers.get(keyOf(service));
    if (!balancer) return;
    balancer.nodes = addressesOf(nodes);
    await this.#check(balancer);
  }

  async ensureDeleted(_cluster: string, service: Service): Promise<void> {
    const balancer = this.#balancers.get(keyOf(service));
    this.#balancers.delete(keyOf(service));
    const addresses =
      balancer?.addresses ?? (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
    for (const address of addresses) await this.#options.infrastructure.unrouteAddress(address);
  }

  /** One address per IP family of the Service: its present one, the requested one, or the next free one. */
  #allocateAddresses(service: Service): string[] {
    const allocated = new Set([...this.#balancers.values()].flatMap(({ addresses }) => addresses));
    const present = (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
    const requested = service.spec?.loadBalancerIP ?? '';
    return (service.spec?.ipFamilies ?? ['IPv4']).flatMap((family) => {
      const range = this.#options.infrastructure.loadBalancerRanges.find(
        (each) => each.includes(':') === (family === 'IPv6'),
      );
      if (range === undefined) return [];
      const ofFamily = (address: string): boolean => address !== '' && address.includes(':') === (family === 'IPv6');
      const usable = [...present, requested].find(
        (address) => ofFamily(address) && !allocated.has(address) && isIn(address, range),
      );
      if (ofFamily(requested) && usable !== requested && !present.some(ofFamily))
        throw new Error(`the address ${requested} is not free; free ones are in ${range}`);
      const address = usable ?? addressesIn(range).find((each) => !allocated.has(each));
      if (address === undefined) throw new Error(`all load balancer addresses of ${range} are taken`);
      allocated.add(address);
      return [address];
    });
  }

  /** Checks the health of every balancer's nodes until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(HEALTH_CHECK_MS, signal).catch(() => {});
      if (signal.aborted) return;
      const probe = this.#sharedProbe();
      const failed = (error: unknown, { addresses }: Balancer): void =>
        logger.error(error, 'Error checking the health of a load balancer', { address: addresses.join() });
      // At the same time, so that a node that does not answer delays only its own balancers.
      await Promise.all(
        Array.from(this.#balancers.values(), (balancer) =>
          this.#check(balancer, probe).catch((error: unknown) => failed(error, balancer)),
        ),
      );
    }
  }

  /** Balancers that check the same address, port and path share one probe. */
  #sharedProbe(): LocalInfrastructure['probe'] {
    const probes = new Map<string, ReturnType<LocalInfrastructure['probe']>>();
    return (address, port, path) => {
      const key = `${address} ${port} ${path}`;
      const answer = probes.get(key) ?? this.#options.infrastructure.probe(address, port, path);
      probes.set(key, answer);
      return answer;
    };
  }

  async #check(balancer: Balancer, probe = this.#sharedProbe()): Promise<void> {
    const { infrastructure } = this.#options;
    const { nodes } = balancer;
    const answers = await Promise.all(nodes.map((address) => probe(address, balancer.port, balancer.path)));
    const healthy = nodes.filter((address, index) => answers[index] ?? this.#staysHealthy(balancer, address));
    for (const [index, address] of nodes.entries()) if (answers[index] !== undefined) balancer.timeouts.delete(address);
    if (balancer.healthy?.join() === healthy.join()) return;
    for (const address of balancer.addresses)
      await infrastructure.routeAddress(
        address,
        healthy.filter((node) => node.includes(':') === address.includes(':')),
      );
    balancer.healthy = healthy;
  }

  /** A healthy node stays healthy for one check without an answer: it may have been busy. */
  #staysHealthy({ healthy, timeouts }: Balancer, address: string): boolean {
    const count = (timeouts.get(address) ?? 0) + 1;
    timeouts.set(address, count);
    return count < UNHEALTHY_THRESHOLD && (healthy?.includes(address) ?? false);
  }
}

const keyOf = ({ metadata }: Service): string => `${metadata.namespace}/${metadata.name}`;
const statusOf = ({ addresses }: Balancer): LoadBalancerStatus => ({
  ingress: addresses.map((ip) => ({ ip, ipMode: 'VIP' })),
});
const addressesOf = (nodes: readonly Node[]): string[] =>
  nodes.flatMap(({ status }) =>
    (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address),
  );

/** The first thousand addresses of a range, without the network's own. */
function addressesIn(text: string): string[] {
  const range = AddressRange.parse(text);
  const size = Math.min(1000, Number(range.size) - 2);
  return Array.from({ length: size }, (_, index) => range.at(index + 1));
}

const isIn = (address: string, range: string): boolean => addressesIn(range).includes(address);
