/** Runs kube-proxy for one node: watches Services, EndpointSlices and the Node, and syncs the proxy rules. */
import type { Node, Service } from '../api/generated/core-v1.ts';
import type { EndpointSlice } from '../api/generated/discovery-v1.ts';
import type { ServiceCIDR } from '../api/generated/networking-v1.ts';
import { InformerFactory, type Client, type SharedInformer } from '../client/index.ts';
import {
  type Family,
  type NodeTopology,
  type ServicePlan,
  familyOf,
  serviceOfSlice,
} from '../component-helpers/index.ts';
import { RunGroup, type Context } from '../kernel/index.ts';
import type { KubeProxyConfig } from './config.ts';
import { ConntrackCleaner, type Conntrack } from './conntrack.ts';
import { healthAnswer, HealthServers, metricsAnswer, serveEndpoints, type HealthState } from './health-servers.ts';
import { IptablesWriter } from './iptables/iptables-writer.ts';
import { proxyMetrics } from './metrics.ts';
import { NftablesWriter } from './nftables/nftables-writer.ts';
import type { RuleWriter } from './rule-writer.ts';
import { RuleSync } from './sync-rules.ts';

interface KubeProxyOptions {
  readonly client: Client;
  readonly config: KubeProxyConfig;
  readonly nodeName: string;
  /** The node's network namespace; undefined is the process's own. */
  readonly netns?: string;
  /** Stands for the kernel of the node: nothing of the machine is read or changed then. */
  readonly kernel?: ProxiedKernel;
  /** Called once, after the rules were written for the first time. */
  readonly onReady?: () => void;
}

/** What kube-proxy changes in a kernel. */
export interface ProxiedKernel {
  readonly writer: RuleWriter;
  readonly conntrack: Conntrack;
}

const ZONE_LABEL = 'topology.kubernetes.io/zone';

export async function run(
  ctx: Context,
  { client, config, nodeName, netns, onReady, kernel }: KubeProxyOptions,
): Promise<void> {
  const group = new RunGroup(ctx);
  const informers = new InformerFactory({ ...ctx, signal: group.signal }, { client });
  const nodes = informers.informer('v1/nodes', { fieldSelector: `metadata.name=${nodeName}` });
  const services = informers.informer('v1/services', { labelSelector: '!service.kubernetes.io/service-proxy-name' });
  const slices = informers.informer('discovery.k8s.io/v1/endpointslices', {
    labelSelector: '!service.kubernetes.io/headless,!service.kubernetes.io/service-proxy-name',
  });
  // Only nftables rules contain them.
  const serviceCidrs = config.mode === 'nftables' ? informers.informer('networking.k8s.io/v1/servicecidrs') : undefined;
  const state: HealthState = { lastUpdated: undefined };
  const health = new HealthServers(ctx, { netns, state });
  const servers = await Promise.all([
    serveEndpoints(ctx, { netns, address: config.healthzBindAddress }, healthAnswer(ctx, state)),
    serveEndpoints(ctx, { netns, address: config.metricsBindAddress }, metricsAnswer(ctx, config.mode)),
  ]);
  group.start('informers', () => informers.run());
  group.start('rules', async (signal) => {
    await informers.waitForSync(signal);
    const node = await waitForNodeIp(ctx, () => nodes.get(nodeName), signal);
    const writer = kernel?.writer ?? createWriter(config, node, netns);
    const sync = new RuleSync(
      ctx,
      {
        writer,
        conntrack: kernel?.conntrack ?? new ConntrackCleaner({ netns, logger: ctx.logger }),
        metrics: proxyMetrics(ctx.metrics),
        minSyncPeriodMs: config.minSyncPeriodMs,
        syncPeriodMs: config.syncPeriodMs,
        onSynced: async (plans) => {
          const first = state.lastUpdated === undefined;
          state.lastUpdated = ctx.clock.now();
          await updateHealth(health, services.list(), plans);
          if (first) onReady?.();
        },
      },
      topologyOf(node),
    );
    addHandlers(sync, { nodes, services, slices, serviceCidrs });
    await sync.run(signal).finally(() => writer.close());
  });
  try {
    await group.wait();
  } finally {
    health.close();
    for (const server of servers) {
      server?.close();
      server?.closeAllConnections();
    }
  }
}

/** Passes every change of the watched objects on to the sync. */
function addHandlers(
  sync: RuleSync,
  {
    nodes,
    services,
    slices,
    serviceCidrs,
  }: {
    nodes: SharedInformer<Node>;
    services: SharedInformer<Service>;
    slices: SharedInformer<EndpointSlice>;
    serviceCidrs: SharedInformer<ServiceCIDR> | undefined;
  },
): void {
  nodes.addHandler({ onUpdate: (_before, after) => sync.setNode(topologyOf(after)) });
  if (serviceCidrs) {
    const update = (): void =>
      sync.setServiceCidrs([...new Set(serviceCidrs.list().flatMap(({ spec }) => spec?.cidrs ?? []))].sort());
    serviceCidrs.addHandler({ onAdd: update, onUpdate: update, onDelete: update });
  }
  services.addHandler({
    onAdd: (service) => sync.setService(service),
    onUpdate: (_before, service) => sync.setService(service),
    onDelete: (service) => sync.deleteService(service),
  });
  slices.addHandler({
    onAdd: (slice) => sync.setSlice(slice),
    onUpdate: (before, slice) => {
      if (serviceOfSlice(before) !== serviceOfSlice(slice)) sync.deleteSlice(before);
      sync.setSlice(slice);
    },
    onDelete: (slice) => sync.deleteSlice(slice),
  });
}

function updateHealth(
  health: HealthServers,
  services: readonly Service[],
  plans: ReadonlyMap<string, readonly ServicePlan[]>,
): Promise<void> {
  return health.update(services, (key) =>
    Math.max(0, ...(plans.get(key) ?? []).map(({ endpoints }) => endpoints.readyLocal)),
  );
}

/** Waits until the Node has an InternalIP, because the rules contain the node's addresses. */
async function waitForNodeIp(ctx: Context, find: () => Node | undefined, signal: AbortSignal): Promise<Node> {
  for (;;) {
    const node = find();
    if (node?.status?.addresses?.some(({ type }) => type === 'InternalIP')) return node;
    await ctx.clock.sleep(50, signal);
  }
}

const topologyOf = ({ metadata, status }: Node): NodeTopology => {
  const zone = metadata.labels?.[ZONE_LABEL];
  const ofType = (wanted: string): string[] =>
    (status?.addresses ?? []).filter(({ type }) => type === wanted).map(({ address }) => address);
  const known = [...ofType('InternalIP'), ...ofType('ExternalIP')];
  const addresses = (['IPv4', 'IPv6'] as const).flatMap(
    (family) => known.find((address) => familyOf(address) === family) ?? [],
  );
  return { name: metadata.name!, ...(zone ? { zone } : {}), addresses };
};

/**
 * Removes the rules from this process's network namespace (`--cleanup`): of both modes, unless one is named, because
 * `iptables` leaves empty tables of its own.
 */
export async function removeRules(mode?: 'nftables'): Promise<void> {
  const families = (['IPv4', 'IPv6'] as const).map((family) => ({
    family,
    clusterCidrs: [],
    masqueradeAll: false,
    masqueradeBit: 14,
    nodePortAddresses: [],
  }));
  await new NftablesWriter({ netns: undefined, families }).removeAll();
  if (mode === undefined) await new IptablesWriter({ netns: undefined, families }).removeAll();
}

function createWriter(config: KubeProxyConfig, node: Node, netns: string | undefined): RuleWriter {
  const cidrs = config.clusterCidr
    .split(',')
    .map((cidr) => cidr.trim())
    .filter((cidr) => cidr !== '');
  const nodeAddresses = (node.status?.addresses ?? [])
    .filter(({ type }) => type === 'InternalIP' || type === 'ExternalIP')
    .map(({ address }) => address);
  const families = (['IPv4', 'IPv6'] as const).filter((family) =>
    [...nodeAddresses, ...cidrs].some((address) => familyOf(address) === family),
  );
  const settings = (family: Family) => {
    const ofFamily = (addresses: readonly string[]): string[] =>
      addresses.filter((address) => familyOf(address) === family);
    const wanted = config.nodePortAddresses;
    return {
      family,
      clusterCidrs: ofFamily(cidrs),
      masqueradeAll: config.masqueradeAll,
      masqueradeBit: config.masqueradeBit,
      nodePortAddresses: wanted.includes('primary') ? ofFamily(nodeAddresses) : ofFamily(wanted),
    };
  };
  if (config.mode === 'iptables') return new IptablesWriter({ netns, families: families.map(settings) });
  const everyAddress = (family: Family): string[] => (family === 'IPv4' ? ['0.0.0.0/0'] : ['::/0']);
  return new NftablesWriter({
    netns,
    families: families.map((family) => {
      const ofFamily = settings(family);
      return config.nodePortAddresses.length === 0
        ? { ...ofFamily, nodePortAddresses: everyAddress(family) }
        : ofFamily;
    }),
  });
}
