/** Cluster DNS in this process, under the Service that every cluster has for it: kube-system/kube-dns. */
import fs from 'node:fs';
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
  /** Other servers of the cluster serve DNS, too. */
  readonly hasPeers?: boolean;
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
          if (options.hasPeers) await tendSlices(inner, options, listener!.port);
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

const TEND_MS = 5000;

/**
 * A server that died cannot take its endpoint back: the others do, when its API server is no longer listed. One that was
 * only silent writes its own again.
 */
async function tendSlices(ctx: Context, options: ClusterDnsOptions, port: number): Promise<void> {
  const { clock, signal, logger } = ctx;
  const { admin, address, slice } = options;
  const slices = admin.resource('discovery.k8s.io/v1/endpointslices');
  while (!signal.aborted) {
    await clock.sleep(TEND_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const servers = await slices.get({ name: 'kubernetes', namespace: 'default' }, { signal });
      const listed = new Set((servers.endpoints ?? []).flatMap(({ addresses }) => addresses));
      const labelSelector = `kubernetes.io/service-name=${NAME},endpointslice.kubernetes.io/managed-by=k8ts`;
      const { items } = await slices.list({ namespace: NAMESPACE, labelSelector, signal });
      if (!items.some(({ metadata }) => metadata.name === slice)) await writeSlice(ctx, options, port);
      for (const { metadata, endpoints } of items) {
        const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses);
        if (addresses.includes(address) || addresses.some((one) => listed.has(one))) continue;
        logger.info('Removing the DNS endpoint of a server that is gone', { addresses: addresses.join(',') });
        await slices.delete({ name: metadata.name!, namespace: NAMESPACE }, { signal });
      }
    } catch (error) {
      if (!signal.aborted && !isNotFound(error)) logger.error(error, 'The endpoints of DNS could not be tended');
    }
  }
}

/** The machine's own resolvers, which pods' questions about other domains go to. */
export function machineResolvers(): string[] {
  try {
    return fs
      .readFileSync('/etc/resolv.conf', 'utf8')
      .split('\n')
      .flatMap((line) => /^nameserver\s+([\d.:a-f]+)\s*$/i.exec(line)?.[1] ?? []);
  } catch {
    return [];
  }
}

/** The tenth address of the first Service CIDR, as everywhere: 10.96.0.0/16 gives 10.96.0.10. */
export const clusterDnsAddress = (serviceClusterIpRange: string): string =>
  AddressRange.parse(serviceClusterIpRange.split(',')[0]!).at(10);
