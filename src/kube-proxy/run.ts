import type { Node, Service } from '../api/generated/core-v1.ts';
/** Follows the API server on behalf of one node. */
import { InformerFactory, type Client } from '../client/index.ts';
import { RunGroup, type Context } from '../kernel/index.ts';
import type { NodePlace } from './choose-endpoints.ts';
import type { KubeProxyConfig } from './config.ts';
import { ConntrackCleaner } from './conntrack.ts';
import { healthAnswer, HealthServers, metricsAnswer, serveEndpoints, type HealthState } from './health-servers.ts';
import { IptablesWriter } from './iptables/iptables-writer.ts';
import { proxyMetrics } from './metrics.ts';
import { NftablesWriter } from './nftables/nftables-writer.ts';
import type { RuleWriter } from './rule-writer.ts';
import { familyOf, type Family, type ServicePlan } from './service-plan.ts';
import { RuleSync } from './sync-rules.ts';

interface KubeProxyOptions {
  readonly client: Client;
  readonly config: KubeProxyConfig;
  readonly nodeName: string;
  /** The node's network namespace; undefined is the process's own. */
  readonly netns?: string;
  /** Called once, after the rules were written for the first time. */
  readonly onReady?: () => void;
}

const ZONE_LABEL = 'topology.kubernetes.io/zone';

export async function run(ctx: Context, { client, config, nodeName, netns, onReady }: KubeProxyOptions): Promise<void> {
  const group = new RunGroup(ctx);
  const informers = new InformerFactory({ ...ctx, signal: group.signal }, { client });
  const nodes = informers.informer('v1/nodes', { fieldSelector: `metadata.name=${nodeName}` });
  const services = informers.informer('v1/services', { labelSelector: '!service.kubernetes.io/service-proxy-name' });
  const slices = informers.informer('discovery.k8s.io/v1/endpointslices', {
    labelSelector: '!service.kubernetes.io/headless,!service.kubernetes.io/service-proxy-name',
  });
  const state: HealthState = { lastUpdated: undefined };
  const health = new HealthServers(ctx, { netns, state });
  const servers = await Promise.all([
    serveEndpoints(ctx, { netns, address: config.healthzBindAddress }, healthAnswer(ctx, state)),
    serveEndpoints(ctx, { netns, address: config.metricsBindAddress }, metricsAnswer(ctx, config.mode)),
  ]);
  group.start('informers', () => informers.run());
  group.start('rules', async (signal) => {
    await informers.waitForSync(signal);
    const node = await untilNode(ctx, () => nodes.get(nodeName), signal);
    const writer = createWriter(config, node, netns);
    const sync = new RuleSync(
      ctx,
      {
        writer,
        conntrack: new ConntrackCleaner({ netns, logger: ctx.logger }),
        metrics: proxyMetrics(ctx.metrics),
        minSyncPeriodMs: config.minSyncPeriodMs,
        syncPeriodMs: config.syncPeriodMs,
        onSynced: (plans) => {
          const first = state.lastUpdated === undefined;
          state.lastUpdated = ctx.clock.now();
          void updateHealth(health, services.list(), plans);
          if (first) onReady?.();
        },
      },
      placeOf(node),
    );
    nodes.addHandler({ onUpdate: (_before, after) => sync.setNode(placeOf(after)) });
    services.addHandler({
      onAdd: (service) => sync.setService(service),
      onUpdate: (_before, service) => sync.setService(service),
      onDelete: (service) => sync.deleteService(service),
    });
    slices.addHandler({
      onAdd: (slice) => sync.setSlice(slice),
      onUpdate: (before, slice) => {
        if (
          before.metadata.labels?.['kubernetes.io/service-name'] !==
          slice.metadata.labels?.['kubernetes.io/service-name']
        )
          sync.deleteSlice(before);
        sync.setSlice(slice);
      },
      onDelete: (slice) => sync.deleteSlice(slice),
    });
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

function updateHealth(
  health: HealthServers,
  services: readonly Service[],
  plans: ReadonlyMap<string, readonly ServicePlan[]>,
): Promise<void> {
  return health.update(services, (key) =>
    Math.max(0, ...(plans.get(key) ?? []).map(({ endpoints }) => endpoints.readyLocal)),
  );
}

/** Writes nothing before the Node says where it is: its addresses are part of the rules. */
async function untilNode(ctx: Context, find: () => Node | undefined, signal: AbortSignal): Promise<Node> {
  for (;;) {
    const node = find();
    if (node?.status?.addresses?.some(({ type }) => type === 'InternalIP')) return node;
    await ctx.clock.sleep(50, signal);
  }
}

const placeOf = ({ metadata }: Node): NodePlace => {
  const zone = metadata.labels?.[ZONE_LABEL];
  return { name: metadata.name!, ...(zone ? { zone } : {}) };
};

/** Removes what either mode has left behind in this process's network namespace. */
export async function removeRules(): Promise<void> {
  const families = (['IPv4', 'IPv6'] as const).map((family) => ({
    family,
    clusterCidrs: [],
    masqueradeAll: false,
    masqueradeBit: 14,
    nodePortAddresses: [],
  }));
  await new NftablesWriter({ netns: undefined, families }).removeAll();
  await new IptablesWriter({ netns: undefined, families }).removeAll();
}

function createWriter(config: KubeProxyConfig, node: Node, netns: string | undefined): RuleWriter {
  const cidrs = config.clusterCidr
    .split(',')
    .map((cidr) => cidr.trim())
    .filter((cidr) => cidr !== '');
  const own = (node.status?.addresses ?? [])
    .filter(({ type }) => type === 'InternalIP' || type === 'ExternalIP')
    .map(({ address }) => address);
  const families = (['IPv4', 'IPv6'] as const).filter((family) =>
    [...own, ...cidrs].some((address) => familyOf(address) === family),
  );
  const settings = (family: Family) => {
    const ofFamily = (addresses: readonly string[]): string[] =>
      addresses.filter((address) => familyOf(address) === family);
    const given = config.nodePortAddresses;
    return {
      family,
      clusterCidrs: ofFamily(cidrs),
      masqueradeAll: config.masqueradeAll,
      masqueradeBit: config.masqueradeBit,
      nodePortAddresses: given.includes('primary') ? ofFamily(own) : ofFamily(given),
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
