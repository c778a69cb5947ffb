/**
 * The cloud of one machine: instances are its node namespaces, routes are the kernel's, and a load balancer is an
 * address that the host routes to the healthy nodes, whose kube-proxy knows what to do with it. No packet is copied, so
 * every protocol works, and Pods see who called.
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

/** What the cloud stands on: the machine's nodes and routes. */
export interface LocalInfrastructure {
  instances(): readonly LocalInstance[];
  setPodCidrs(node: string, podCidrs: readonly string[]): Promise<void>;
  podRoutes(): Promise<readonly { readonly node: string; readonly podCidr: string }[]>;
  /** Ranges of addresses for load balancers, one per family. */
  readonly loadBalancerRanges: readonly string[];
  /** Sends what the host has for the address to the nodes, each its share; to nobody when there are none. */
  routeAddress(address: string, nodeAddresses: readonly string[]): Promise<void>;
  unrouteAddress(address: string): Promise<void>;
  /** Whether GET http://address:port/path on a node answers with 200; undefined when nothing comes in time. */
  probe(address: string, port: number, path: string): Promise<boolean | undefined>;
}

export interface LocalCloudOptions {
  readonly infrastructure: LocalInfrastructure;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly zone?: string;
  readonly region?: string;
}

const PROXY_HEALTH_PORT = 10_256;
const HEALTH_CHECK_MS = 1000;
/** After so many checks without an answer a node counts as away. */
const SILENCES = 2;

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
  /** Where a node says whether it wants traffic. */
  port: number;
  path: string;
  healthy: readonly string[] | undefined;
  /** How often in a row each node has been silent. */
  readonly silences: Map<string, number>;
}

class LocalLoadBalancers implements LoadBalancers {
  readonly #balancers = new Map<string, Balancer>();

  constructor(private readonly options: LocalCloudOptions) {}

  get(_cluster: string, service: Service): Promise<LoadBalancerStatus | undefined> {
    const balancer = this.#balancers.get(keyOf(service));
    return Promise.resolve(balancer && statusOf(balancer));
  }

  async ensure(_cluster: string, service: Service, nodes: readonly Node[]): Promise<LoadBalancerStatus> {
    const key = keyOf(service);
    const balancer = this.#balancers.get(key) ?? {
      addresses: this.#take(service),
      nodes: [],
      port: 0,
      path: '',
      healthy: undefined,
      silences: new Map<string, number>(),
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
    for (const address of addresses) await this.options.infrastructure.unrouteAddress(address);
  }

  /** The address that it has already, the one that is asked for, or the next free one; one per family of the Service. */
  #take(service: Service): string[] {
    const taken = new Set([...this.#balancers.values()].flatMap(({ addresses }) => addresses));
    const present = (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
    const wanted = service.spec?.loadBalancerIP ?? '';
    return (service.spec?.ipFamilies ?? ['IPv4']).flatMap((family) => {
      const range = this.options.infrastructure.loadBalancerRanges.find(
        (each) => each.includes(':') === (family === 'IPv6'),
      );
      if (range === undefined) return [];
      const ofFamily = (address: string): boolean => address !== '' && address.includes(':') === (family === 'IPv6');
      const kept = [...present, wanted].find(
        (address) => ofFamily(address) && !taken.has(address) && isIn(address, range),
      );
      if (ofFamily(wanted) && kept !== wanted && !present.some(ofFamily))
        throw new Error(`the address ${wanted} is not free; free ones are in ${range}`);
      const address = kept ?? addressesIn(range).find((each) => !taken.has(each));
      if (address === undefined) throw new Error(`all load balancer addresses of ${range} are taken`);
      taken.add(address);
      return [address];
    });
  }

  /** Checks every balancer's nodes, for ever. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.options;
    while (!signal.aborted) {
      await clock.sleep(HEALTH_CHECK_MS, signal).catch(() => {});
      if (signal.aborted) return;
      const probe = this.#probes();
      const failed = (error: unknown, { addresses }: Balancer): void =>
        logger.error(error, 'A load balancer could not be checked', { address: addresses.join() });
      // Side by side: nobody waits for the silent nodes of others.
      await Promise.all(
        Array.from(this.#balancers.values(), (balancer) =>
          this.#check(balancer, probe).catch((error: unknown) => failed(error, balancer)),
        ),
      );
    }
  }

  /** Asks each place once, however many want to know. */
  #probes(): LocalInfrastructure['probe'] {
    const asked = new Map<string, ReturnType<LocalInfrastructure['probe']>>();
    return (address, port, path) => {
      const key = `${address} ${port} ${path}`;
      const answer = asked.get(key) ?? this.options.infrastructure.probe(address, port, path);
      asked.set(key, answer);
      return answer;
    };
  }

  async #check(balancer: Balancer, probe = this.#probes()): Promise<void> {
    const { infrastructure } = this.options;
    const { nodes } = balancer;
    const answers = await Promise.all(nodes.map((address) => probe(address, balancer.port, balancer.path)));
    const healthy = nodes.filter((address, index) => answers[index] ?? this.#isExcused(balancer, address));
    for (const [index, address] of nodes.entries()) if (answers[index] !== undefined) balancer.silences.delete(address);
    if (balancer.healthy?.join() === healthy.join()) return;
    for (const address of balancer.addresses)
      await infrastructure.routeAddress(
        address,
        healthy.filter((node) => node.includes(':') === address.includes(':')),
      );
    balancer.healthy = healthy;
  }

  /** A node that answered a moment ago may have been busy, or we may. */
  #isExcused({ healthy, silences }: Balancer, address: string): boolean {
    const silent = (silences.get(address) ?? 0) + 1;
    silences.set(address, silent);
    return silent < SILENCES && (healthy?.includes(address) ?? false);
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

/** Of a range no larger than is worth listing: the first thousand, without the network's own address. */
function addressesIn(text: string): string[] {
  const range = AddressRange.parse(text);
  const size = Math.min(1000, Number(range.size) - 2);
  return Array.from({ length: size }, (_, index) => range.at(index + 1));
}

const isIn = (address: string, range: string): boolean => addressesIn(range).includes(address);
