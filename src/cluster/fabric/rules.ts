/** The fabric's own nftables tables, always written whole, in one transaction. */
import { AddressRange } from '../../base/index.ts';
import type { FabricRanges } from './fabric.ts';

/** In the host's namespace. */
export const hostTable = (id: string): string => `k8ts-fabric-${id}`;
/** In a node's namespace. */
const NODE_TABLE = 'k8ts-fabric';

const families = (ranges: readonly string[]): { family: 'ip' | 'ip6'; list: string }[] =>
  (['ip', 'ip6'] as const).flatMap((family) => {
    const own = ranges.filter((range) => AddressRange.parse(range).family === (family === 'ip' ? 4 : 6));
    return own.length === 0 ? [] : [{ family, list: own.join(', ') }];
  });

const replace = (table: string): string => `table inet ${table}\ndelete table inet ${table}\n`;

/**
 * Drops traffic into the cluster from other machines. Without egress it also rejects traffic out of the cluster, even
 * if the machine forwards for other reasons.
 */
export function renderHostRules({
  id,
  hostInterface,
  ranges,
  egress,
}: {
  id: string;
  hostInterface: string;
  ranges: FabricRanges;
  egress: boolean;
}): string {
  const inside = families([...ranges.nodes, ...ranges.pods, ...ranges.services]);
  const guard = inside
    .map(({ family, list }) => `\t\tiifname != { "lo", "${hostInterface}" } ${family} daddr { ${list} } drop\n`)
    .join('');
  const forward = egress
    ? inside
        .map(({ family, list }) => `\t\toifname != "${hostInterface}" ${family} saddr { ${list} } masquerade\n`)
        .join('')
    : `\t\tiifname "${hostInterface}" reject with icmpx type admin-prohibited\n`;
  const chain = egress
    ? 'chain postrouting {\n\t\ttype nat hook postrouting priority srcnat; policy accept;'
    : 'chain forward {\n\t\ttype filter hook forward priority filter; policy accept;';
  return `${replace(hostTable(id))}table inet ${hostTable(id)} {
	chain guard {
		type filter hook prerouting priority raw; policy accept;
${guard}	}
	${chain}
${forward}	}
}
`;
}

/**
 * Without egress a node refuses what is neither for a node nor for a pod, after services were resolved. Connections are
 * reset: a message would reach a caller that is still busy with its call, be put aside, and count a second later only.
 */
export function renderNodeRules({ ranges, egress }: { ranges: FabricRanges; egress: boolean }): string {
  if (egress) return replace(NODE_TABLE);
  const rules = families([...ranges.nodes, ...ranges.pods])
    .map(
      ({ family, list }) =>
        `\t\toifname "eth0" ${family} daddr != { ${list}${family === 'ip6' ? ', fe80::/10, ff00::/8' : ''} } goto refuse\n`,
    )
    .join('');
  return `${replace(NODE_TABLE)}table inet ${NODE_TABLE} {
	chain refuse {
		meta l4proto tcp reject with tcp reset
		reject with icmpx type admin-prohibited
	}
	chain foreign {
${rules}	}
	chain forward {
		type filter hook forward priority filter + 10; policy accept;
		jump foreign
	}
	chain output {
		type filter hook output priority filter + 10; policy accept;
		jump foreign
	}
}
`;
}
