/** The DNS configuration of a pod (resolv.conf) by its dnsPolicy and dnsConfig. */
import type { Pod } from '../api/generated/core-v1.ts';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;

interface DnsSettings {
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  /** The text of the node's resolv.conf. */
  readonly nodeResolvConf: string;
}

/** What is in the resolv.conf. */
interface DnsConfig {
  readonly servers: string[];
  readonly searches: string[];
  readonly options: string[];
}

interface PodDns {
  readonly dns: DnsConfig;
  /** Warning events: entries beyond the limits, or a fallback to the policy Default. */
  readonly warnings: readonly { readonly reason: string; readonly message: string }[];
}

interface Draft {
  servers: string[];
  searches: string[];
  options: string[];
}

export function podDns(pod: Pod, settings: DnsSettings): PodDns {
  const warnings: { reason: string; message: string }[] = [];
  const node = parseResolvConf(settings.nodeResolvConf);
  const draft = draftByPolicy(pod, settings, node, warnings);
  const { dnsConfig } = pod.spec ?? {};
  if (dnsConfig !== undefined) {
    draft.servers = unique([...draft.servers, ...(dnsConfig.nameservers ?? [])]);
    draft.searches = unique([...draft.searches, ...(dnsConfig.searches ?? [])]);
    draft.options = mergeOptions(
      draft.options,
      (dnsConfig.options ?? []).map(({ name = '', value }) =>
        value === undefined || value === '' ? name : `${name}:${value}`,
      ),
    );
  }
  return { dns: withinLimits(draft, warnings), warnings };
}

function draftByPolicy(
  pod: Pod,
  { clusterDns, clusterDomain }: DnsSettings,
  node: Draft,
  warnings: { reason: string; message: string }[],
): Draft {
  const { dnsPolicy = 'ClusterFirst', hostNetwork } = pod.spec ?? {};
  const usesCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && hostNetwork !== true);
  if (dnsPolicy === 'None') return { servers: [], searches: [], options: [] };
  if (!usesCluster) return nodeDns(node);
  if (clusterDns.length === 0) {
    warnings.push({
      reason: 'MissingClusterDNS',
      message: `pod: ${JSON.stringify(`${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`)}. kubelet does not have ClusterDNS IP configured and cannot create Pod using ${JSON.stringify(dnsPolicy)} policy. Falling back to "Default" policy.`,
    });
    return nodeDns(node);
  }
  const own =
    clusterDomain === ''
      ? []
      : [`${pod.metadata.namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return { servers: [...clusterDns], searches: unique([...own, ...node.searches]), options: ['ndots:5'] };
}

/** Without a name server the runtime would use its own default, so the policy Default gives 127.0.0.1. */
const nodeDns = (node: Draft): Draft => ({
  servers: node.servers.length === 0 ? ['127.0.0.1'] : node.servers,
  searches: node.searches,
  options: node.options,
});

function parseResolvConf(text: string): Draft {
  const draft: Draft = { servers: [], searches: [], options: [] };
  for (const line of text.split('\n')) {
    const [word, ...rest] = line
      .replace(/[#;].*/s, '')
      .trim()
      .split(/\s+/);
    if (word === 'nameserver' && rest[0] !== undefined) draft.servers.push(rest[0]);
    else if (word === 'search')
      draft.searches = rest.map((domain) => (domain === '.' ? domain : domain.replace(/\.$/, '')));
    else if (word === 'options') draft.options = rest;
  }
  return draft;
}

function withinLimits(draft: Draft, warnings: { reason: string; message: string }[]): DnsConfig {
  const servers = draft.servers.slice(0, MAX_NAMESERVERS);
  if (servers.length < draft.servers.length)
    warnings.push({
      reason: 'DNSConfigForming',
      message: `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${servers.join(' ')}`,
    });
  let searches = draft.searches.slice(0, MAX_SEARCHES);
  while (searches.join(' ').length > MAX_SEARCH_CHARACTERS) searches = searches.slice(0, -1);
  if (searches.length < draft.searches.length)
    warnings.push({
      reason: 'DNSConfigForming',
      message: `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${searches.join(' ')}`,
    });
  return { servers, searches, options: draft.options };
}

const unique = (items: readonly string[]): string[] => [...new Set(items)];

/** Later values of an option replace earlier ones. */
function mergeOptions(base: readonly string[], more: readonly string[]): string[] {
  const merged = new Map<string, string>();
  for (const option of [...base, ...more]) merged.set(option.split(':')[0] ?? option, option);
  return [...merged.values()];
}
