/** One Service port as rules for iptables-restore. */
import type { EndpointAddress } from '../choose-endpoints.ts';
import { externalEndpoints, internalEndpoints, type ServicePlan } from '../service-plan.ts';
import { clusterChain, endpointChain, externalChain, firewallChain, localChain } from './chains.ts';

export interface ServiceRules {
  /** Rules of the chains that lead to Services, whole in every sync. */
  readonly services: readonly string[];
  readonly nodePorts: readonly string[];
  readonly filterServices: readonly string[];
  readonly filterExternal: readonly string[];
  readonly firewall: readonly string[];
  /** Chains of this Service's own, in the nat table. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
}

export interface IptablesSettings {
  readonly clusterCidrs: readonly string[];
  readonly masqueradeAll: boolean;
  /** Only these node addresses take node ports; all when empty. */
  readonly nodePortAddresses: readonly string[];
}

const MASQUERADE = '-j KUBE-MARK-MASQ';
const comment = (text: string): string => `-m comment --comment "${text}"`;

export function serviceRules(plan: ServicePlan, settings: IptablesSettings): ServiceRules {
  const rules = {
    services: [] as string[],
    nodePorts: [] as string[],
    filterServices: [] as string[],
    filterExternal: [] as string[],
    firewall: [] as string[],
    chains: new Map<string, string[]>(),
  };
  const mask = plan.family === 'IPv4' ? 32 : 128;
  const to = (address: string): string =>
    `-m ${plan.protocol} -p ${plan.protocol} -d ${address}/${mask} --dport ${plan.port}`;
  const { cluster, local } = plan.endpoints;
  const usesLocal = (plan.internalPolicyLocal || plan.externalPolicyLocal) && local.length > 0;
  if (cluster.length > 0) rules.chains.set(clusterChain(plan), balance(plan, cluster));
  if (usesLocal) rules.chains.set(localChain(plan), balance(plan, local));
  for (const endpoint of uniqueEndpoints([...cluster, ...(usesLocal ? local : [])]))
    rules.chains.set(endpointChain(plan, endpoint), endpointRules(plan, endpoint));

  const internal = internalEndpoints(plan);
  if (internal.length > 0) {
    const chain = plan.internalPolicyLocal ? localChain(plan) : clusterChain(plan);
    rules.services.push(`-A KUBE-SERVICES ${comment(`${plan.name} cluster IP`)} ${to(plan.clusterIp)} -j ${chain}`);
    const fromOutside = settings.masqueradeAll
      ? ''
      : settings.clusterCidrs.length > 0
        ? ` ! -s ${settings.clusterCidrs[0]}`
        : undefined;
    if (fromOutside !== undefined)
      rules.chains.set(chain, [
        `-A ${chain} ${comment(`${plan.name} cluster IP`)} ${to(plan.clusterIp)}${fromOutside} ${MASQUERADE}`,
        ...(rules.chains.get(chain) ?? []),
      ]);
  } else
    rules.filterServices.push(
      unanswered('KUBE-SERVICES', plan, to(plan.clusterIp), plan.internalPolicyLocal && cluster.length > 0),
    );

  const externalAddresses = [...plan.externalIps, ...plan.loadBalancerIps];
  const isExternal = externalAddresses.length > 0 || plan.nodePort !== undefined;
  if (isExternal && cluster.length > 0) rules.chains.set(externalChain(plan), external(plan, settings));
  for (const address of externalAddresses) {
    const isBalancer = plan.loadBalancerIps.includes(address);
    if (cluster.length > 0)
      rules.services.push(
        `-A KUBE-SERVICES ${comment(`${plan.name} ${isBalancer ? 'loadbalancer' : 'external'} IP`)} ${to(address)} -j ${isBalancer && plan.sourceRanges ? firewallChain(plan) : externalChain(plan)}`,
      );
    if (externalEndpoints(plan).length === 0)
      rules.filterExternal.push(
        unanswered('KUBE-EXTERNAL-SERVICES', plan, to(address), plan.externalPolicyLocal && cluster.length > 0),
      );
    if (isBalancer && plan.sourceRanges)
      rules.firewall.push(
        `-A KUBE-PROXY-FIREWALL ${comment(`${plan.name} traffic not accepted by ${firewallChain(plan)}`)} ${to(address)} -j DROP`,
      );
  }
  if (plan.sourceRanges && plan.loadBalancerIps.length > 0 && cluster.length > 0) {
    rules.chains.set(
      firewallChain(plan),
      plan.sourceRanges.map(
        (range) =>
          `-A ${firewallChain(plan)} ${comment(`${plan.name} loadbalancer IP`)} -s ${range} -j ${externalChain(plan)}`,
      ),
    );
  }
  if (plan.nodePort !== undefined) nodePortRules(rules, plan);
  return rules;
}

function nodePortRules(rules: { nodePorts: string[]; filterExternal: string[] }, plan: ServicePlan): void {
  const match = `-m ${plan.protocol} -p ${plan.protocol} --dport ${plan.nodePort}`;
  if (plan.endpoints.cluster.length > 0)
    rules.nodePorts.push(`-A KUBE-NODEPORTS ${comment(plan.name)} ${match} -j ${externalChain(plan)}`);
  if (externalEndpoints(plan).length === 0)
    rules.filterExternal.push(
      unanswered(
        'KUBE-EXTERNAL-SERVICES',
        plan,
        `-m addrtype --dst-type LOCAL ${match}`,
        plan.externalPolicyLocal && plan.endpoints.cluster.length > 0,
      ),
    );
}

function external(plan: ServicePlan, { clusterCidrs }: IptablesSettings): string[] {
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

/** The i-th of n endpoints takes 1/(n-i) of what is left: all get the same. */
function balance(plan: ServicePlan, endpoints: readonly EndpointAddress[]): string[] {
  const chain = endpoints === plan.endpoints.local ? localChain(plan) : clusterChain(plan);
  const remembered =
    plan.affinitySeconds === undefined
      ? []
      : endpoints.map(
          (endpoint) =>
            `-A ${chain} ${comment(`${plan.name} -> ${placeOf(endpoint)}`)} -m recent --name ${endpointChain(plan, endpoint)} --rcheck --seconds ${plan.affinitySeconds} --reap -j ${endpointChain(plan, endpoint)}`,
        );
  return [
    ...remembered,
    ...endpoints.map((endpoint, index) => {
      const left = endpoints.length - index;
      const chance = left > 1 ? ` -m statistic --mode random --probability ${(1 / left).toFixed(10)}` : '';
      return `-A ${chain} ${comment(`${plan.name} -> ${placeOf(endpoint)}`)}${chance} -j ${endpointChain(plan, endpoint)}`;
    }),
  ];
}

function endpointRules(plan: ServicePlan, endpoint: EndpointAddress): string[] {
  const chain = endpointChain(plan, endpoint);
  const mask = plan.family === 'IPv4' ? 32 : 128;
  const remember = plan.affinitySeconds === undefined ? '' : ` -m recent --name ${chain} --set`;
  return [
    `-A ${chain} ${comment(plan.name)} -s ${endpoint.ip}/${mask} ${MASQUERADE}`,
    `-A ${chain} ${comment(plan.name)}${remember} -m ${plan.protocol} -p ${plan.protocol} -j DNAT --to-destination ${placeOf(endpoint)}`,
  ];
}

const unanswered = (chain: string, plan: ServicePlan, match: string, elsewhere: boolean): string =>
  elsewhere
    ? `-A ${chain} ${comment(`${plan.name} has no local endpoints`)} ${match} -j DROP`
    : `-A ${chain} ${comment(`${plan.name} has no endpoints`)} ${match} -j REJECT`;

const placeOf = ({ ip, port }: EndpointAddress): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

function uniqueEndpoints(endpoints: readonly EndpointAddress[]): EndpointAddress[] {
  return [...new Map(endpoints.map((endpoint) => [placeOf(endpoint), endpoint])).values()];
}
