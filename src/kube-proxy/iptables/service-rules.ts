/** The iptables rules of one Service port, as lines for iptables-restore. */
import {
  type EndpointAddress,
  type ServicePlan,
  externalEndpoints,
  internalEndpoints,
} from '../../component-helpers/index.ts';
import { clusterChain, endpointChain, externalChain, firewallChain, localChain } from './chains.ts';

export interface ServiceRules {
  /** Rules in the chains that all Services share. Every sync rewrites these chains. */
  readonly services: readonly string[];
  readonly nodePorts: readonly string[];
  readonly filterServices: readonly string[];
  readonly filterExternal: readonly string[];
  readonly firewall: readonly string[];
  /** This Service's own chains in the nat table. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
}

export interface IptablesSettings {
  readonly clusterCidrs: readonly string[];
  readonly masqueradeAll: boolean;
  /** The node addresses that accept NodePort traffic; all when empty. */
  readonly nodePortAddresses: readonly string[];
}

const MASQUERADE = '-j KUBE-MARK-MASQ';
const comment = (text: string): string => `-m comment --comment "${text}"`;

type ServiceRulesDraft = { -readonly [List in Exclude<keyof ServiceRules, 'chains'>]: string[] } & {
  chains: Map<string, string[]>;
};

export function serviceRules(plan: ServicePlan, settings: IptablesSettings): ServiceRules {
  const rules: ServiceRulesDraft = {
    services: [],
    nodePorts: [],
    filterServices: [],
    filterExternal: [],
    firewall: [],
    chains: new Map(),
  };
  addEndpointChains(rules, plan);
  addClusterIp(rules, plan, settings);
  const isExternal = plan.externalIps.length + plan.loadBalancerIps.length > 0 || plan.nodePort !== undefined;
  if (isExternal && plan.endpoints.cluster.length > 0)
    rules.chains.set(externalChain(plan), externalRules(plan, settings));
  addExternalIps(rules, plan);
  if (plan.nodePort !== undefined) addNodePort(rules, plan);
  return rules;
}

/** Matches packets to the Service's port on an address. */
const toAddress = ({ family, protocol, port }: ServicePlan, address: string): string =>
  `-m ${protocol} -p ${protocol} -d ${address}/${family === 'IPv4' ? 32 : 128} --dport ${port}`;

function addEndpointChains(rules: ServiceRulesDraft, plan: ServicePlan): void {
  const { cluster, local } = plan.endpoints;
  const usesLocal = (plan.internalPolicyLocal || plan.externalPolicyLocal) && local.length > 0;
  if (cluster.length > 0) rules.chains.set(clusterChain(plan), loadBalancingRules(plan, cluster));
  if (usesLocal) rules.chains.set(localChain(plan), loadBalancingRules(plan, local));
  for (const endpoint of uniqueEndpoints([...cluster, ...(usesLocal ? local : [])]))
    rules.chains.set(endpointChain(plan, endpoint), endpointRules(plan, endpoint));
}

function addClusterIp(rules: ServiceRulesDraft, plan: ServicePlan, settings: IptablesSettings): void {
  const match = toAddress(plan, plan.clusterIp);
  if (internalEndpoints(plan).length === 0) {
    const hasRemoteEndpoints = plan.internalPolicyLocal && plan.endpoints.cluster.length > 0;
    rules.filterServices.push(rejectOrDrop('KUBE-SERVICES', plan, match, hasRemoteEndpoints));
    return;
  }
  const chain = plan.internalPolicyLocal ? localChain(plan) : clusterChain(plan);
  rules.services.push(`-A KUBE-SERVICES ${comment(`${plan.name} cluster IP`)} ${match} -j ${chain}`);
  if (!settings.masqueradeAll && settings.clusterCidrs.length === 0) return;
  const fromOutside = settings.masqueradeAll ? '' : ` ! -s ${settings.clusterCidrs[0]}`;
  rules.chains.set(chain, [
    `-A ${chain} ${comment(`${plan.name} cluster IP`)} ${match}${fromOutside} ${MASQUERADE}`,
    ...(rules.chains.get(chain) ?? []),
  ]);
}

/** External IPs and load balancer IPs; the latter pass a firewall chain if the Service has source ranges. */
function addExternalIps(rules: ServiceRulesDraft, plan: ServicePlan): void {
  const { cluster } = plan.endpoints;
  for (const address of [...plan.externalIps, ...plan.loadBalancerIps]) {
    const match = toAddress(plan, address);
    const isBalancer = plan.loadBalancerIps.includes(address);
    const hasFirewall = isBalancer && plan.sourceRanges !== undefined;
    if (cluster.length > 0)
      rules.services.push(
        `-A KUBE-SERVICES ${comment(`${plan.name} ${isBalancer ? 'loadbalancer' : 'external'} IP`)} ${match} -j ${hasFirewall ? firewallChain(plan) : externalChain(plan)}`,
      );
    if (externalEndpoints(plan).length === 0)
      rules.filterExternal.push(
        rejectOrDrop('KUBE-EXTERNAL-SERVICES', plan, match, plan.externalPolicyLocal && cluster.length > 0),
      );
    if (hasFirewall)
      rules.firewall.push(
        `-A KUBE-PROXY-FIREWALL ${comment(`${plan.name} traffic not accepted by ${firewallChain(plan)}`)} ${match} -j DROP`,
      );
  }
  if (plan.sourceRanges && plan.loadBalancerIps.length > 0 && cluster.length > 0)
    rules.chains.set(firewallChain(plan), [
      ...plan.sourceRanges.map(
        (range) =>
          `-A ${firewallChain(plan)} ${comment(`${plan.name} loadbalancer IP`)} -s ${range} -j ${externalChain(plan)}`,
      ),
      `-A ${firewallChain(plan)} ${comment(`other traffic to ${plan.name} will be dropped by KUBE-PROXY-FIREWALL`)}`,
    ]);
}

function addNodePort(rules: ServiceRulesDraft, plan: ServicePlan): void {
  const match = `-m ${plan.protocol} -p ${plan.protocol} --dport ${plan.nodePort}`;
  if (plan.endpoints.cluster.length > 0)
    rules.nodePorts.push(`-A KUBE-NODEPORTS ${comment(plan.name)} ${match} -j ${externalChain(plan)}`);
  if (externalEndpoints(plan).length === 0)
    rules.filterExternal.push(
      rejectOrDrop(
        'KUBE-EXTERNAL-SERVICES',
        plan,
        `-m addrtype --dst-type LOCAL ${match}`,
        plan.externalPolicyLocal && plan.endpoints.cluster.length > 0,
      ),
    );
}

function externalRules(plan: ServicePlan, { clusterCidrs }: IptablesSettings): string[] {
  const chain = externalChain(plan);
  if (!plan.externalPolicyLocal)
    return [
      `-A ${chain} ${comment(`masquerade traffic for ${plan.name} external destinations`)} ${MASQUERADE}`,
      `-A ${chain} -j ${clusterChain(plan)}`,
    ];
  const fromNode = `-A ${chain} ${comment(`route LOCAL traffic for ${plan.name} external destinations`)} -m addrtype --src-type LOCAL`;
  return [
    ...clusterCidrs.map(
      (cidr) =>
        `-A ${chain} ${comment(`pod traffic for ${plan.name} external destinations`)} -s ${cidr} -j ${clusterChain(plan)}`,
    ),
    `-A ${chain} ${comment(`masquerade LOCAL traffic for ${plan.name} external destinations`)} -m addrtype --src-type LOCAL ${MASQUERADE}`,
    `${fromNode} -j ${clusterChain(plan)}`,
    ...(plan.endpoints.local.length > 0 ? [`-A ${chain} -j ${localChain(plan)}`] : []),
  ];
}

/** The i-th of n endpoints matches with probability 1/(n-i), so that each gets an equal share. */
function loadBalancingRules(plan: ServicePlan, endpoints: readonly EndpointAddress[]): string[] {
  const chain = endpoints === plan.endpoints.local ? localChain(plan) : clusterChain(plan);
  const affinityRules =
    plan.affinitySeconds === undefined
      ? []
      : endpoints.map(
          (endpoint) =>
            `-A ${chain} ${comment(`${plan.name} -> ${hostPort(endpoint)}`)} -m recent --name ${endpointChain(plan, endpoint)} --rcheck --seconds ${plan.affinitySeconds} --reap -j ${endpointChain(plan, endpoint)}`,
        );
  return [
    ...affinityRules,
    ...endpoints.map((endpoint, index) => {
      const remaining = endpoints.length - index;
      const statistic = remaining > 1 ? ` -m statistic --mode random --probability ${(1 / remaining).toFixed(10)}` : '';
      return `-A ${chain} ${comment(`${plan.name} -> ${hostPort(endpoint)}`)}${statistic} -j ${endpointChain(plan, endpoint)}`;
    }),
  ];
}

function endpointRules(plan: ServicePlan, endpoint: EndpointAddress): string[] {
  const chain = endpointChain(plan, endpoint);
  const mask = plan.family === 'IPv4' ? 32 : 128;
  const recordAffinity = plan.affinitySeconds === undefined ? '' : ` -m recent --name ${chain} --set`;
  return [
    `-A ${chain} ${comment(plan.name)} -s ${endpoint.ip}/${mask} ${MASQUERADE}`,
    `-A ${chain} ${comment(plan.name)}${recordAffinity} -m ${plan.protocol} -p ${plan.protocol} -j DNAT --to-destination ${hostPort(endpoint)}`,
  ];
}

/** A packet is dropped if only other nodes have endpoints for it, and rejected if there are none at all. */
const rejectOrDrop = (chain: string, plan: ServicePlan, match: string, hasRemoteEndpoints: boolean): string =>
  hasRemoteEndpoints
    ? `-A ${chain} ${comment(`${plan.name} has no local endpoints`)} ${match} -j DROP`
    : `-A ${chain} ${comment(`${plan.name} has no endpoints`)} ${match} -j REJECT`;

const hostPort = ({ ip, port }: EndpointAddress): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

function uniqueEndpoints(endpoints: readonly EndpointAddress[]): EndpointAddress[] {
  return [...new Map(endpoints.map((endpoint) => [hostPort(endpoint), endpoint])).values()];
}
