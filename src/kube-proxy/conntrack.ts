/**
 * Deletes stale conntrack entries. Packets of a tracked connection follow its entry, not the current rules. A UDP client never
 * notices that its endpoint is gone, so kube-proxy deletes the entry. TCP peers end their connections; but a connection that a
 * dead machine never answered has an entry for two minutes, and a client that uses its port again meanwhile is sent there, too.
 */
import type { ServicePlan } from '../component-helpers/index.ts';
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

/** The TCP endpoints that a changed Service has no longer, as `IP port`. */
export function removedTcpEndpoints(before: readonly ServicePlan[], after: readonly ServicePlan[]): string[] {
  const endpointsOf = (plans: readonly ServicePlan[]): string[] =>
    plans
      .filter(({ protocol }) => protocol === 'tcp')
      .flatMap(({ endpoints }) => endpoints.cluster.map(({ ip, port }) => `${ip} ${port}`));
  const remaining = new Set(endpointsOf(after));
  return endpointsOf(before).filter((endpoint) => !remaining.has(endpoint));
}

/**
 * The arguments of the `conntrack -D` commands for half-open connections to removed endpoints.
 * @param listed What `conntrack -L` prints, a line each: the tuple of the client, then that of the answer:
 *   `tcp 6 118 SYN_SENT src=CLIENT dst=SERVICE sport=… dport=… [UNREPLIED] src=ENDPOINT dst=… sport=PORT dport=… …`
 */
export function halfOpenConnections(listed: string, removed: ReadonlySet<string>): string[][] {
  const commands = new Map<string, string[]>();
  for (const line of listed.split('\n')) {
    const values = (name: string): string[] =>
      line.split(' ').flatMap((word) => (word.startsWith(`${name}=`) ? [word.slice(name.length + 1)] : []));
    const [service, ip, port] = [values('dst')[0], values('src')[1], values('sport')[1]];
    if (service === undefined || ip === undefined || !removed.has(`${ip} ${port}`)) continue;
    const match = ['-f', familyOf(ip), '-p', 'tcp', '--state', 'SYN_SENT', '--orig-dst', service, '--dst-nat', ip];
    commands.set(match.join(' '), ['-D', ...match]);
  }
  return [...commands.values()];
}

const familyOf = (ip: string): string => (ip.includes(':') ? 'ipv6' : 'ipv4');

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

/** Where a node's kernel keeps its connections. */
export interface Conntrack {
  /** @param stale arguments of `conntrack`, a command each */
  deleteEntries(stale: readonly string[][]): Promise<void>;
  /** @param removed endpoints, as `IP port` */
  deleteHalfOpen(removed: ReadonlySet<string>): Promise<void>;
}

export class ConntrackCleaner implements Conntrack {
  #missing = false;

  readonly #options: { netns: string | undefined; logger: Logger };

  constructor(options: { netns: string | undefined; logger: Logger }) {
    this.#options = options;
  }

  async deleteEntries(stale: readonly string[][]): Promise<void> {
    for (const args of stale) await this.#conntrack(args);
  }

  /** One listing tells whether there are any: usually there are none, however many endpoints went. */
  async deleteHalfOpen(removed: ReadonlySet<string>): Promise<void> {
    const families = new Set([...removed].map((endpoint) => familyOf(endpoint)));
    for (const family of families) {
      const listed = await this.#conntrack(['-L', '-f', family, '-p', 'tcp', '--state', 'SYN_SENT']);
      await this.deleteEntries(halfOpenConnections(listed, removed));
    }
  }

  async #conntrack(args: readonly string[]): Promise<string> {
    if (this.#missing) return '';
    try {
      // Exit code 1 says that there was nothing to delete.
      return (await spawnIn('conntrack', args, { netns: this.#options.netns })).stdout;
    } catch (error) {
      if (!(error instanceof ToolMissing)) throw error;
      this.#missing = true;
      this.#options.logger.warn(
        'conntrack is not installed: UDP clients of deleted endpoints may hang until their entries expire',
        {
          err: error,
        },
      );
      return '';
    }
  }
}
