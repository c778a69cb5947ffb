import type { ServicePlan } from '../component-helpers/index.ts';
/**
 * Deletes stale conntrack entries. Packets of a tracked connection follow its entry, not the current rules. TCP peers
 * end such connections; a UDP client never notices that its endpoint is gone, so kube-proxy deletes the entry.
 */
import type { Logger } from '../kernel/index.ts';
import { spawnIn, ToolMissing } from '../net/netns/index.ts';

/** The arguments of the `conntrack -D` commands that a changed Service needs. */
export function staleConnections(before: readonly ServicePlan[], after: readonly ServicePlan[]): string[][] {
  const next = new Map(after.map((plan) => [`${plan.name} ${plan.family} ${plan.protocol}`, plan]));
  const stale: string[][] = [];
  for (const old of before) {
    if (old.protocol !== 'udp') continue;
    const now = next.get(`${old.name} ${old.family} ${old.protocol}`);
    const remaining = new Set(now?.endpoints.cluster.map(({ ip, port }) => `${ip} ${port}`));
    for (const { ip, port } of old.endpoints.cluster) {
      if (remaining.has(`${ip} ${port}`)) continue;
      for (const match of matches(old)) stale.push([...familyArguments(old), ...match, '--dst-nat', ip]);
    }
  }
  const previous = new Map(before.map((plan) => [`${plan.name} ${plan.family} ${plan.protocol}`, plan]));
  for (const now of after) {
    if (now.protocol !== 'udp' || now.endpoints.cluster.length === 0) continue;
    const old = previous.get(`${now.name} ${now.family} ${now.protocol}`);
    // Packets sent before the Service had an endpoint left entries without DNAT.
    if (!old || lists(old).some((list, index) => list.length === 0 && lists(now)[index]!.length > 0))
      for (const match of matches(now)) stale.push([...familyArguments(now), ...match]);
  }
  return stale;
}

/** The lists of endpoints that the traffic policies use. A node may have no endpoint of a Service with policy Local for a while. */
const lists = ({ endpoints, internalPolicyLocal, externalPolicyLocal }: ServicePlan) => [
  endpoints.cluster,
  internalPolicyLocal || externalPolicyLocal ? endpoints.local : [],
];

const familyArguments = ({ family }: ServicePlan): string[] => [
  '-D',
  '-f',
  family === 'IPv4' ? 'ipv4' : 'ipv6',
  '-p',
  'udp',
];

function matches(plan: ServicePlan): string[][] {
  const addresses = [plan.clusterIp, ...plan.externalIps, ...plan.loadBalancerIps].map((address) => [
    '--orig-dst',
    address,
  ]);
  return plan.nodePort === undefined ? addresses : [...addresses, ['--dport', String(plan.nodePort)]];
}

export class ConntrackCleaner {
  #missing = false;

  readonly #options: { netns: string | undefined; logger: Logger };

  constructor(options: { netns: string | undefined; logger: Logger }) {
    this.#options = options;
  }

  async deleteEntries(stale: readonly string[][]): Promise<void> {
    for (const args of stale) {
      if (this.#missing) return;
      try {
        // Exit code 1 says that there was nothing to delete.
        await spawnIn('conntrack', args, { netns: this.#options.netns });
      } catch (error) {
        if (!(error instanceof ToolMissing)) throw error;
        this.#missing = true;
        this.#options.logger.warn(
          'conntrack is not installed: UDP clients of deleted endpoints may hang until their entries expire',
          {
            err: error,
          },
        );
      }
    }
  }
}
