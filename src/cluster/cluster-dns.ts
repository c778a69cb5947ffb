/** Cluster DNS in this process, under the Service that every cluster has for it: kube-system/kube-dns. */
import { AddressRange } from '../base/index.ts';
import { isNotFound, type Client } from '../client/index.ts';
import { DEFAULT_DNS_CONFIG, run as runDns } from '../dns/index.ts';
import { RunGroup, type Context } from '../kernel/index.ts';

interface ClusterDnsOptions {
  /** Watches Services and EndpointSlices. */
  readonly client: Client;
  /** Creates the Service and its EndpointSlice. */
  readonly admin: Client;
  /** The Service's address: the tenth of the service range, as everywhere. */
  readonly clusterIp: string;
  /** Where this process listens so that nodes and pods reach it. */
  readonly address: string;
  /** The name of its EndpointSlice. */
  readonly slice: string;
  readonly port: number;
  readonly clusterDomain: string;
  readonly forwarders: readonly string[];
  readonly onReady?: () => void;
}

export const CLUSTER_DOMAIN = 'cluster.local';

const NAMESPACE = 'kube-system';
const NAME = 'kube-dns';
const PORTS = [
  { name: 'dns', protocol: 'UDP', port: 53 },
  { name: 'dns-tcp', protocol: 'TCP', port: 53 },
] as const;

export async function runClusterDns(ctx: Context, options: ClusterDnsOptions): Promise<void> {
  const { client, clusterIp, address, clusterDomain, forwarders } = options;
  await makeService(ctx, options);
  const group = new RunGroup(ctx);
  const inner: Context = { ...ctx, signal: group.signal };
  group.start('dns', () =>
    runDns(inner, {
      client,
      config: {
        ...DEFAULT_DNS_CONFIG,
        clusterDomain,
        clusterDns: [clusterIp],
        forwarders,
        listen: [{ address, port: options.port }],
      },
      onReady: ([listener]) =>
        group.start('endpoints', async () => {
          await writeSlice(inner, options, listener!.port);
          options.onReady?.();
        }),
    }),
  );
  await group.wait();
}

/** Without a selector: its EndpointSlice points to this process. */
async function makeService(ctx: Context, { admin, clusterIp }: ClusterDnsOptions): Promise<void> {
  const services = admin.resource('v1/services');
  try {
    await services.get({ name: NAME, namespace: NAMESPACE }, { signal: ctx.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const labels = { 'k8s-app': NAME, 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' };
    await services.create(
      {
        metadata: { name: NAME, namespace: NAMESPACE, labels },
        spec: { clusterIP: clusterIp, ports: PORTS.map((port) => ({ ...port })) },
      },
      { signal: ctx.signal },
    );
  }
}

async function writeSlice(ctx: Context, { admin, address, slice }: ClusterDnsOptions, port: number): Promise<void> {
  await admin.resource('discovery.k8s.io/v1/endpointslices').apply(
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: slice,
        namespace: NAMESPACE,
        labels: { 'kubernetes.io/service-name': NAME, 'endpointslice.kubernetes.io/managed-by': 'k8ts' },
      },
      addressType: address.includes(':') ? 'IPv6' : 'IPv4',
      ports: PORTS.map(({ name, protocol }) => ({ name, protocol, port })),
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
    },
    { fieldManager: 'k8ts-dns', force: true, signal: ctx.signal },
  );
}

/** The tenth address of the first Service CIDR, as everywhere: 10.96.0.0/16 gives 10.96.0.10. */
export const clusterDnsAddress = (serviceClusterIpRange: string): string =>
  AddressRange.parse(serviceClusterIpRange.split(',')[0]!).at(10);
