/**
 * Host ports as one nftables table in the node's namespace. Every write replaces the whole table from the records in
 * one transaction, so the next write repairs the state after a crash. Existing connections continue, because conntrack
 * has their DNAT.
 */
import net from 'node:net';
import type { PortMapping } from '../pod-network.ts';

interface MappedPort {
  readonly protocol: PortMapping['protocol'];
  readonly hostPort: number;
  /** Empty means every address of the node. */
  readonly hostIp: string;
  readonly podIps: readonly string[];
  readonly containerPort: number;
}

export const HOST_PORTS_TABLE = 'k8ts-hostports';

/** The mappings that have a host port. */
export function mappedPorts(podIps: readonly string[], mappings: readonly PortMapping[]): MappedPort[] {
  return mappings
    .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
    .map(({ protocol, hostPort, hostIp = '', containerPort }) => ({
      protocol,
      hostPort: hostPort!,
      hostIp,
      podIps,
      containerPort,
    }));
}

/** The first of the `wanted` mappings that conflicts with one in `taken`. */
export function conflictingPort(
  wanted: readonly PortMapping[],
  taken: readonly PortMapping[],
): PortMapping | undefined {
  return wanted.find(
    (port) =>
      (port.hostPort ?? 0) > 0 &&
      taken.some(
        (other) =>
          other.hostPort === port.hostPort &&
          other.protocol === port.protocol &&
          (isEvery(port.hostIp) || isEvery(other.hostIp) || other.hostIp === port.hostIp),
      ),
  );
}

/** "0.0.0.0" and "::" mean every address of their family. */
const isEvery = (hostIp = ''): boolean => hostIp === '' || hostIp === '0.0.0.0' || hostIp === '::';

/** The nft transaction; without ports it deletes the table. */
export function renderHostPorts(ports: readonly MappedPort[], bridge: string): string {
  const replace = `table inet ${HOST_PORTS_TABLE}\ndelete table inet ${HOST_PORTS_TABLE}\n`;
  if (ports.length === 0) return replace;
  return `${replace}table inet ${HOST_PORTS_TABLE} {
${[4, 6].map((family) => renderMaps(ports, family === 6 ? 6 : 4)).join('')}	chain ports {
		dnat ip to ip daddr . meta l4proto . th dport map @address4
		dnat ip6 to ip6 daddr . meta l4proto . th dport map @address6
		fib daddr type local dnat ip to meta l4proto . th dport map @every4
		fib daddr type local dnat ip6 to meta l4proto . th dport map @every6
	}
	chain prerouting {
		type nat hook prerouting priority dstnat - 5; policy accept;
		jump ports
	}
	chain output {
		type nat hook output priority -105; policy accept;
		jump ports
	}
	chain postrouting {
		type nat hook postrouting priority srcnat - 5; policy accept;
		oifname "${bridge}" ct status dnat ip saddr 127.0.0.0/8 masquerade
		oifname "${bridge}" ct status dnat ip saddr . ip daddr @self4 masquerade
		oifname "${bridge}" ct status dnat ip6 saddr . ip6 daddr @self6 masquerade
	}
	chain loopback {
		type filter hook prerouting priority raw; policy accept;
		iifname "${bridge}" ip daddr 127.0.0.0/8 drop
	}
}
`;
}

function renderMaps(ports: readonly MappedPort[], family: 4 | 6): string {
  const type = family === 4 ? 'ipv4_addr' : 'ipv6_addr';
  const every: string[] = [];
  const address: string[] = [];
  const self = new Set<string>();
  for (const { protocol, hostPort, hostIp, podIps, containerPort } of ports) {
    const podIp = podIps.find((ip) => net.isIP(ip) === family);
    if (podIp === undefined || (hostIp !== '' && net.isIP(hostIp) !== family)) continue;
    const source = `${protocol.toLowerCase()} . ${hostPort} : ${podIp} . ${containerPort}`;
    if (isEvery(hostIp)) every.push(source);
    else address.push(`${hostIp} . ${source}`);
    self.add(`${podIp} . ${podIp}`);
  }
  const elements = (list: Iterable<string>): string => {
    const text = [...list].join(', ');
    return text === '' ? '' : `\n\t\telements = { ${text} }`;
  };
  return `	map every${family} {
		type inet_proto . inet_service : ${type} . inet_service${elements(every)}
	}
	map address${family} {
		type ${type} . inet_proto . inet_service : ${type} . inet_service${elements(address)}
	}
	set self${family} {
		type ${type} . ${type}${elements(self)}
	}
`;
}
