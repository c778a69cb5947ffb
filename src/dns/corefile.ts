/**
 * Reads a Corefile, the configuration of CoreDNS. Of its plugins the server has `kubernetes` and `forward`; some others
 * change nothing here, because the server always does what they are for. Any other plugin or option is refused by name:
 * a configuration that is followed in part would be worse than none.
 *
 *     .:53 {                       the zones of a server block; the most specific one of all blocks answers
 *       kubernetes cluster.local in-addr.arpa ip6.arpa {
 *         ttl 30
 *       }
 *       forward . /etc/resolv.conf  names that no earlier plugin answers go to these servers
 *     }
 *     corp.example:53 {
 *       forward . 10.0.0.53
 *     }
 */
import { isIP } from 'node:net';
import { CorefileError, lexCorefile, type CorefileLine } from './corefile-lines.ts';

export interface ServerBlock {
  /** In lower case and without the final dot; '' is the root. */
  readonly zone: string;
  /** Whether the cluster's records are answered. */
  readonly kubernetes: boolean;
  /** Of the cluster's records, in seconds. */
  readonly ttl: number | undefined;
  /** The first whose zone has the name is asked. */
  readonly forwards: readonly Forward[];
}

interface Forward {
  readonly zone: string;
  /** `address` or `address:port`; undefined: those of the machine (/etc/resolv.conf). */
  readonly servers: readonly string[] | undefined;
}

/** What the server does in any case, or has no use for. */
const WITHOUT_EFFECT = new Set([
  'cache',
  'errors',
  'health',
  'log',
  'loadbalance',
  'loop',
  'prometheus',
  'ready',
  'reload',
]);
/** How often and in which order servers are asked; ours are asked one after the other. */
const FORWARD_TUNING = new Set(['expire', 'health_check', 'max_concurrent', 'max_fails', 'policy', 'prefer_udp']);
const PORT = '53';
const MAX_TTL = 3600;

/** Throws a CorefileError. */
export function parseCorefile(text: string, clusterDomain: string): readonly ServerBlock[] {
  const blocks = new Map<string, ServerBlock>();
  for (const { tokens, line, block } of lexCorefile(text)) {
    if (block === undefined) throw new CorefileError(line, `${JSON.stringify(tokens[0])} has no server block`);
    const served = pluginsOf(block, clusterDomain);
    for (const key of tokens.flatMap((token) => token.split(',')).filter((part) => part !== '')) {
      const zone = zoneOfKey(key, line);
      if (blocks.has(zone)) throw new CorefileError(line, `the zone of ${key} is defined twice`);
      blocks.set(zone, { zone, ...served });
    }
  }
  return [...blocks.values()];
}

function zoneOfKey(key: string, line: number): string {
  const [, scheme = 'dns://', name = '', port = PORT] = /^([a-z0-9]+:\/\/)?([^:/]+)(?::(\d+))?$/.exec(key) ?? [];
  if (name === '') throw new CorefileError(line, `${JSON.stringify(key)} is not a zone`);
  if (scheme !== 'dns://') throw new CorefileError(line, `${scheme} is not supported`);
  if (port !== PORT) throw new CorefileError(line, `port ${port} is not supported: cluster DNS is on port ${PORT}`);
  return zoneName(name);
}

function pluginsOf(lines: readonly CorefileLine[], clusterDomain: string): Omit<ServerBlock, 'zone'> {
  let kubernetes = false;
  let ttl: number | undefined;
  const forwards: Forward[] = [];
  for (const plugin of lines) {
    const [name = ''] = plugin.tokens;
    if (name === 'kubernetes') {
      kubernetes = true;
      ttl = kubernetesTtl(plugin, clusterDomain);
    } else if (name === 'forward') forwards.push(forwardOf(plugin));
    else if (!WITHOUT_EFFECT.has(name))
      throw new CorefileError(plugin.line, `plugin ${JSON.stringify(name)} is not supported`);
  }
  return { kubernetes, ttl, forwards };
}

function kubernetesTtl({ tokens, line, block = [] }: CorefileLine, clusterDomain: string): number | undefined {
  const zones = tokens.slice(1).map(zoneName);
  if (!zones.includes(clusterDomain) || zones.some((zone) => zone !== clusterDomain && !zone.endsWith('.arpa')))
    throw new CorefileError(line, `kubernetes must have the zone ${clusterDomain}, and no others than reverse ones`);
  let ttl: number | undefined;
  for (const {
    tokens: [option = '', value = ''],
    line: at,
  } of block) {
    if (option === 'ttl' && /^\d{1,4}$/.test(value) && Number(value) <= MAX_TTL) ttl = Number(value);
    else if (!(option === 'fallthrough' || (option === 'pods' && value === 'insecure')))
      throw new CorefileError(
        at,
        `option ${JSON.stringify(`${option} ${value}`.trim())} of kubernetes is not supported`,
      );
  }
  return ttl;
}

function forwardOf({ tokens, line, block = [] }: CorefileLine): Forward {
  const [, from, ...to] = tokens;
  if (from === undefined || to.length === 0) throw new CorefileError(line, 'forward needs a zone and servers');
  for (const {
    tokens: [option = ''],
    line: at,
  } of block)
    if (!FORWARD_TUNING.has(option))
      throw new CorefileError(at, `option ${JSON.stringify(option)} of forward is not supported`);
  const zone = zoneName(from);
  if (to.length === 1 && to[0] === '/etc/resolv.conf') return { zone, servers: undefined };
  return { zone, servers: to.map((server) => serverOf(server, line)) };
}

function serverOf(text: string, line: number): string {
  const server = text.replace(/^dns:\/\//, '');
  const [, bracketed, plain, port = PORT] = /^(?:\[(.*)\]|([^[\]:]*))(?::([1-9]\d{0,4}))?$/.exec(server) ?? [];
  if (isIP(server) === 0 && (isIP(bracketed ?? plain ?? '') === 0 || Number(port) > 65_535))
    throw new CorefileError(
      line,
      `forward to ${JSON.stringify(text)} is not supported: it must be an address, or /etc/resolv.conf`,
    );
  return server;
}

const zoneName = (name: string): string => name.toLowerCase().replace(/\.$/, '');
