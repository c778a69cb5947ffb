/** The managed /etc/hosts of a pod's containers. */
import type { HostAlias } from '../../api/generated/core-v1.ts';

const OWN_HEADER = '# Kubernetes-managed hosts file.\n';
const NODE_HEADER = '# Kubernetes-managed hosts file (host network).\n';

interface HostsFileInput {
  readonly ips: readonly string[];
  readonly hostname: string;
  /** The FQDN of a pod with a subdomain; otherwise empty. */
  readonly hostDomain: string;
  readonly aliases: readonly HostAlias[];
}

export function hostsFile({ ips, hostname, hostDomain, aliases }: HostsFileInput): string {
  const lines = [
    '127.0.0.1\tlocalhost',
    '::1\tlocalhost ip6-localhost ip6-loopback',
    'fe00::0\tip6-localnet',
    'fe00::0\tip6-mcastprefix',
    'fe00::1\tip6-allnodes',
    'fe00::2\tip6-allrouters',
    ...ips.map((ip) => (hostDomain === '' ? `${ip}\t${hostname}` : `${ip}\t${hostDomain}\t${hostname}`)),
  ];
  return `${OWN_HEADER}${lines.join('\n')}\n${aliasLines(aliases)}`;
}

/** For pods on the host network: the node's file with the pod's host aliases. */
export const nodeHostsFile = (nodeFile: string, aliases: readonly HostAlias[]): string =>
  `${NODE_HEADER}${nodeFile}${aliasLines(aliases)}`;

function aliasLines(aliases: readonly HostAlias[]): string {
  if (aliases.length === 0) return '';
  return `\n# Entries added by HostAliases.\n${aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}\n`).join('')}`;
}
