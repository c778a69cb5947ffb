/** Which names a pod's resolver tries for a name, and which Service of the cluster one of them is. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { podDns } from '../../component-helpers/index.ts';

const CLUSTER_DOMAIN = 'cluster.local';

interface Resolver {
  readonly usesCluster: boolean;
  readonly searches: readonly string[];
  readonly ndots: number;
}

/** As the kubelet writes the pod's resolv.conf; the node's own domains are not known here. */
export function resolverOf(pod: Pod, clusterDns: readonly string[]): Resolver {
  const { dns } = podDns(pod, { clusterDns, clusterDomain: CLUSTER_DOMAIN, nodeResolvConf: '' });
  const ndots = dns.options.map((option) => /^ndots:(\d{1,3})$/.exec(option)?.[1]).find((value) => value !== undefined);
  return {
    usesCluster: clusterDns.some((server) => dns.servers.includes(server)),
    searches: dns.searches,
    ndots: Number(ndots ?? 1),
  };
}

/** In the order in which they are tried. A name with a final dot is tried alone. */
export function triedNames(host: string, { searches, ndots }: Resolver): string[] {
  if (host.endsWith('.')) return [host.slice(0, -1)];
  const searched = searches.map((domain) => `${host}.${domain}`);
  return host.split('.').length - 1 >= ndots ? [host, ...searched] : [...searched, host];
}

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
  /** Of one endpoint of a headless Service. */
  readonly hostname?: string;
}

/** The Service that a full name is the name of: `[HOSTNAME.]SERVICE.NAMESPACE.svc.cluster.local`. */
export function serviceOfName(full: string): ServiceName | undefined {
  const suffix = `.svc.${CLUSTER_DOMAIN}`;
  if (!full.toLowerCase().endsWith(suffix)) return undefined;
  const labels = full.toLowerCase().slice(0, -suffix.length).split('.');
  const [namespace, name, hostname, ...rest] = labels.reverse();
  if (!namespace || !name || rest.length > 0) return undefined;
  return { namespace, name, ...(hostname ? { hostname } : {}) };
}
