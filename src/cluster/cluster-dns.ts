/** Cluster DNS in this process, under the Service that every cluster has for it: kube-system/kube-dns. */
import type { Service } from '../api/generated/core-v1.ts';
import { isAlreadyExists, type Client } from '../client/index.ts';
import { DEFAULT_DNS_CONFIG, run as runDns } from '../dns/index.ts';
import type { Context } from '../kernel/index.ts';

export interface ClusterDnsOptions {
  readonly client: Client;
  /** The Service's address: the tenth of the service range, as everywhere. */
  readonly clusterIp: string;
  /** Where this process listens so that nodes and pods reach it. */
  readonly address: string;
  readonly port: number;
  readonly clusterDomain: string;
  readonly forwarders: readonly string[];
  readonly onReady?: () => void;
}

const NAMESPACE = 'kube-system';
const NAME = 'kube-dns';
const PORTS = [{ name: 'dns', protocol: 'UDP', port: 53 }, { name: 'dns-tcp', protocol: 'TCP', port: 53 }] as const;

export async function runClusterDns(ctx: Context, options: ClusterDnsOptions): Promise<void> {
  const { client, clusterIp, address, clusterDomain, forwarders } = options;
  await runDns(ctx, {
    client,
    config: { ...DEFAULT_DNS_CONFIG, clusterDomain, clusterDns: [clusterIp], forwarders, listen: [{ address, port: options.port }] },
    onReady: (listeners) => {
      void publish(ctx, options, listeners[0]!.port).then(options.onReady, (error: unknown) => ctx.logger.error(error, 'The DNS Service could not be written'));
    },
  });
}

/** A Service without selector, and the slice that leads here. */
async function publish(ctx: Context, { client, clusterIp, address }: ClusterDnsOptions, port: number): Promise<void> {
  const labels = { 'k8s-app': NAME, 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' };
  const service: Service = { metadata: { name: NAME, namespace: NAMESPACE, labels }, spec: { clusterIP: clusterIp, ports: PORTS.map(({ name, protocol }) => ({ name, protocol, port: 53, targetPort: port })) } };
  await client.resource('v1/services').create(service, { signal: ctx.signal }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await client.resource('discovery.k8s.io/v1/endpointslices').apply(
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${NAME}-host`, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': NAME, 'endpointslice.kubernetes.io/managed-by': 'k8ts' } },
      addressType: address.includes(':') ? 'IPv6' : 'IPv4',
      ports: PORTS.map(({ name, protocol }) => ({ name, protocol, port })),
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
    },
    { fieldManager: 'k8ts-dns', force: true, signal: ctx.signal },
  );
}

/** The n-th address of a service range: 10.96.0.0/16 and 10 give 10.96.0.10. */
export function serviceAddress(range: string, index: number): string {
  const [address = ''] = range.split(',')[0]!.split('/');
  if (address.includes(':')) return address.replace(/:[0-9a-f]*$/, `:${index.toString(16)}`);
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + index;
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}
