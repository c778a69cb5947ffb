/** Runs cluster DNS: watches Services, EndpointSlices and Namespaces and serves their records. */
import { InformerFactory, type Client } from '../client/index.ts';
import { type Context, exponentialBuckets, RunGroup, untilAborted } from '../kernel/index.ts';
import type { Zone } from './answer-query.ts';
import { ClusterRecords } from './cluster-records.ts';
import { Forwarder } from './forwarder.ts';
import { TYPE, RCODE } from './message.ts';
import { AnswerCache, respond, type Resolver } from './respond.ts';
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
  const forwarder = new Forwarder(ctx, { servers: config.forwarders });
  const zone: Zone = {
    domain: config.clusterDomain.toLowerCase(),
    ttl: config.ttl,
    nameServerAddresses: config.clusterDns,
  };
  const resolver: Resolver = {
    records,
    zone,
    forwarder,
    cache: new AnswerCache(),
    random: () => ctx.random.next(),
    observe: observer(ctx),
  };
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
      await forwarder.detectLoop();
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
