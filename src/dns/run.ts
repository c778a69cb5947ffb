/**
 * Runs cluster DNS: watches Services, EndpointSlices and Namespaces and serves their records, and forwards other names as the
 * Corefile in the ConfigMap kube-system/coredns says, if there is one.
 */
import type { ConfigMap } from '../api/generated/core-v1.ts';
import { InformerFactory, type Client } from '../client/index.ts';
import { type Context, exponentialBuckets, RunGroup, untilAborted } from '../kernel/index.ts';
import type { Zone } from './answer-query.ts';
import { ClusterRecords } from './cluster-records.ts';
import { parseCorefile } from './corefile.ts';
import { Forwarder } from './forwarder.ts';
import { TYPE, RCODE } from './message.ts';
import { AnswerCache, respond, type Resolver } from './respond.ts';
import { DEFAULT_BLOCKS, Routes } from './routes.ts';
import { listen, type DnsListener, type DnsSockets } from './serve.ts';

interface DnsConfig {
  readonly clusterDomain: string;
  /** The TTL of answers, in seconds. */
  readonly ttl: number;
  /** Where to listen; port 0 picks a free port. */
  readonly listen: readonly { readonly address: string; readonly port: number; readonly sockets?: DnsSockets }[];
  /** The ClusterIPs of the cluster DNS Service. */
  readonly clusterDns: readonly string[];
  /** Upstream servers for other names, `address` or `address:port`; without any, other names are refused. */
  readonly forwarders: readonly string[];
}

export const DEFAULT_DNS_CONFIG: DnsConfig = {
  clusterDomain: 'cluster.local',
  ttl: 5,
  listen: [{ address: '127.0.0.1', port: 53 }],
  clusterDns: ['10.96.0.10'],
  forwarders: [],
};

interface DnsOptions {
  readonly client: Client;
  readonly config: DnsConfig;
  /** Called when the informers have synced and the sockets answer. */
  readonly onReady?: (listeners: readonly DnsListener[]) => void;
}

export async function run(ctx: Context, { client, config, onReady }: DnsOptions): Promise<void> {
  const group = new RunGroup(ctx);
  const informers = new InformerFactory({ ...ctx, signal: group.signal }, { client });
  const records = watchRecords(informers);
  const zone: Zone = {
    domain: config.clusterDomain.toLowerCase(),
    ttl: config.ttl,
    nameServerAddresses: config.clusterDns,
  };
  const observe = observer(ctx);
  const resolverOf = (blocks = DEFAULT_BLOCKS): Resolver => ({
    records,
    routes: new Routes(blocks, {
      zone,
      makeForwarder: (servers = config.forwarders) => new Forwarder(ctx, { servers }),
    }),
    cache: new AnswerCache(),
    random: () => ctx.random.next(),
    observe,
  });
  let resolver = resolverOf();
  watchCorefile(ctx, informers, (corefile) => {
    resolver = resolverOf(corefile === undefined ? undefined : parseCorefile(corefile, zone.domain));
    group.start('loop detection', () => resolver.routes.detectLoops());
  });
  const duration = ctx.metrics
    .histogram({
      name: 'coredns_dns_request_duration_seconds',
      help: 'Time that each answer took.',
      labels: ['server', 'zone'],
      buckets: exponentialBuckets(0.000_25, 2, 16),
    })
    .child({ server: 'dns://:53', zone: `${zone.domain}.` });
  group.start('informers', () => informers.run());
  group.start('server', async (signal) => {
    await informers.waitForSync(signal);
    const listeners: DnsListener[] = [];
    try {
      for (const place of config.listen) {
        listeners.push(
          await listen(ctx, {
            ...place,
            respond: (bytes, transport) => {
              const start = ctx.clock.monotonic();
              const answer = respond(resolver, bytes, transport);
              duration.observe((ctx.clock.monotonic() - start) / 1000);
              return answer;
            },
          }),
        );
      }
      onReady?.(listeners);
      await resolver.routes.detectLoops();
      await untilAborted(signal);
    } finally {
      await Promise.all(listeners.map((listener) => listener.close()));
    }
  });
  await group.wait();
}

function watchRecords(informers: InformerFactory): ClusterRecords {
  const records = new ClusterRecords();
  informers.informer('v1/namespaces', { metadataOnly: true }).addHandler({
    onAdd: ({ metadata }) => records.setNamespace(metadata.name!),
    onDelete: ({ metadata }) => records.deleteNamespace(metadata.name!),
  });
  informers.informer('v1/services').addHandler({
    onAdd: (service) => records.setService(service),
    onUpdate: (_before, service) => records.setService(service),
    onDelete: ({ metadata }) => records.deleteService(metadata.namespace!, metadata.name!),
  });
  informers.informer('discovery.k8s.io/v1/endpointslices').addHandler({
    onAdd: (slice) => records.setSlice(slice),
    onUpdate: (before, slice) => {
      records.deleteSlice(before);
      records.setSlice(slice);
    },
    onDelete: (slice) => records.deleteSlice(slice),
  });
  return records;
}

const CONFIG = { namespace: 'kube-system', name: 'coredns', key: 'Corefile' };

/** Calls `configure` with each Corefile, and with undefined when there is none; it throws for one that is not followed. */
function watchCorefile(
  { logger }: Context,
  informers: InformerFactory,
  configure: (corefile: string | undefined) => void,
): void {
  const { namespace, name, key } = CONFIG;
  let known: string | undefined;
  const read = ({ data }: ConfigMap): void => {
    const corefile = data?.[key];
    if (corefile === known) return;
    known = corefile;
    try {
      configure(corefile);
      logger.info('DNS is configured by a ConfigMap', { configMap: `${namespace}/${name}` });
    } catch (error) {
      logger.error(error, 'The Corefile is not followed; DNS stays as it is', { configMap: `${namespace}/${name}` });
    }
  };
  informers.informer('v1/configmaps', { namespace, fieldSelector: `metadata.name=${name}` }).addHandler({
    onAdd: read,
    onUpdate: (_before, configMap) => read(configMap),
    onDelete: () => read({ metadata: {} }),
  });
}

/** Metrics under CoreDNS's names, so that its dashboards work. */
function observer(ctx: Context): Resolver['observe'] {
  const requests = ctx.metrics.counter({
    name: 'coredns_dns_requests_total',
    help: 'Queries by type and transport.',
    labels: ['server', 'proto', 'type'],
  });
  const responses = ctx.metrics.counter({
    name: 'coredns_dns_responses_total',
    help: 'Answers by code.',
    labels: ['server', 'rcode'],
  });
  const typeNames = new Map(Object.entries(TYPE).map(([name, number]) => [number as number, name]));
  const codeNames = new Map(Object.entries(RCODE).map(([name, number]) => [number as number, name]));
  const children = new Map<string, { inc(): void }>();
  const child = (key: string, make: () => { inc(): void }): { inc(): void } => {
    const known = children.get(key);
    if (known) return known;
    const created = make();
    children.set(key, created);
    return created;
  };
  return ({ type, rcode, transport }) => {
    const typeName = typeNames.get(type) ?? 'other';
    child(`${transport} ${typeName}`, () =>
      requests.child({ server: 'dns://:53', proto: transport, type: typeName }),
    ).inc();
    child(`rcode ${rcode}`, () =>
      responses.child({ server: 'dns://:53', rcode: codeNames.get(rcode) ?? String(rcode) }),
    ).inc();
  };
}
