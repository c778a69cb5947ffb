/**
 * The nftables table of network policies as data. The names of sets and chains are hashes of their meaning, so that
 * two tables can be compared and their differences written as one transaction.
 */
export interface Ruleset {
  readonly sets: ReadonlyMap<string, NftSet>;
  /** The chains that are not base chains: name → rules. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** The chain of each isolated pod: pod address → chain, by direction and family. */
  readonly maps: ReadonlyMap<PodMap, ReadonlyMap<string, string>>;
  /** The rules of the chain "always", which runs before all policies. */
  readonly always: readonly string[];
}

export interface NftSet {
  readonly type: string;
  /** Whether the elements are intervals. */
  readonly interval: boolean;
  readonly elements: ReadonlySet<string>;
}

const POD_MAPS = ['ingress4', 'ingress6', 'egress4', 'egress6'] as const;
export type PodMap = (typeof POD_MAPS)[number];

export const TABLE = 'k8ts-network-policy';

/**
 * Pods' traffic is routed: it passes "forward" after DNAT of Services and before masquerading. Traffic from a pod to
 * its node passes "input". The node's own traffic, such as probes, passes neither and is never blocked.
 */
const BASE_CHAINS = `	chain forward {
		type filter hook forward priority filter - 10; policy accept;
		ct state established,related accept
		jump always
		ip saddr vmap @egress4
		ip6 saddr vmap @egress6
		ip daddr vmap @ingress4
		ip6 daddr vmap @ingress6
	}
	chain input {
		type filter hook input priority filter - 10; policy accept;
		ct state established,related accept
		icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit, nd-router-advert, mld-listener-query, mld-listener-report } accept
		jump always
		ip saddr vmap @egress4
		ip6 saddr vmap @egress6
	}
`;

const addressType = (map: PodMap): string => (map.endsWith('4') ? 'ipv4_addr' : 'ipv6_addr');

/** Commands that replace the whole table. */
export function renderTable(ruleset: Ruleset): string {
  const block = (head: string, lines: readonly string[]): string =>
    `\t${head} {\n${lines.map((line) => `\t\t${line}\n`).join('')}\t}\n`;
  const elements = (list: Iterable<string>): string[] => {
    const text = [...list].join(', ');
    return text === '' ? [] : [`elements = { ${text} }`];
  };
  return [
    `table inet ${TABLE}\ndelete table inet ${TABLE}\ntable inet ${TABLE} {\n`,
    ...[...ruleset.sets].map(([name, { type, interval, elements: list }]) =>
      block(`set ${name}`, [`type ${type}`, ...(interval ? ['flags interval'] : []), ...elements(list)]),
    ),
    ...[...ruleset.chains].map(([name, rules]) => block(`chain ${name}`, rules)),
    ...POD_MAPS.map((map) =>
      block(`map ${map}`, [`type ${addressType(map)} : verdict`, ...elements(jumps(ruleset.maps.get(map)))]),
    ),
    block('chain always', ruleset.always),
    BASE_CHAINS,
    '}\n',
  ].join('');
}

const jumps = (entries: ReadonlyMap<string, string> = new Map()): string[] =>
  [...entries].map(([address, chain]) => `${address} : jump ${chain}`);

/** Commands that turn one table into the other; empty when they are the same. */
export function renderChanges(before: Ruleset, after: Ruleset): string {
  const commands: string[] = [];
  const elementCommand = (verb: 'add' | 'delete', name: string, elements: readonly string[]): void => {
    if (elements.length > 0) commands.push(`${verb} element inet ${TABLE} ${name} { ${elements.join(', ')} }`);
  };
  for (const [name, set] of after.sets) {
    const old = before.sets.get(name);
    if (old === undefined) {
      commands.push(`add set inet ${TABLE} ${name} { type ${set.type};${set.interval ? ' flags interval;' : ''} }`);
      elementCommand('add', name, [...set.elements]);
    } else if (set.interval && !sameElements(old.elements, set.elements)) {
      commands.push(`flush set inet ${TABLE} ${name}`);
      elementCommand('add', name, [...set.elements]);
    } else if (!set.interval) {
      elementCommand(
        'delete',
        name,
        [...old.elements].filter((element) => !set.elements.has(element)),
      );
      elementCommand(
        'add',
        name,
        [...set.elements].filter((element) => !old.elements.has(element)),
      );
    }
  }
  for (const [name, rules] of after.chains) {
    if (before.chains.has(name)) continue;
    commands.push(`add chain inet ${TABLE} ${name}`, ...rules.map((rule) => `add rule inet ${TABLE} ${name} ${rule}`));
  }
  for (const map of POD_MAPS) {
    const [old, now] = [
      before.maps.get(map) ?? new Map<string, string>(),
      after.maps.get(map) ?? new Map<string, string>(),
    ];
    elementCommand(
      'delete',
      map,
      [...old].filter(([address, chain]) => now.get(address) !== chain).map(([address]) => address),
    );
    elementCommand('add', map, jumps(new Map([...now].filter(([address, chain]) => old.get(address) !== chain))));
  }
  if (before.always.join('\n') !== after.always.join('\n')) {
    commands.push(
      `flush chain inet ${TABLE} always`,
      ...after.always.map((rule) => `add rule inet ${TABLE} always ${rule}`),
    );
  }
  const goneChains = [...before.chains.keys()].filter((name) => !after.chains.has(name));
  commands.push(...goneChains.map((name) => `delete chain inet ${TABLE} ${name}`));
  commands.push(
    ...[...before.sets.keys()]
      .filter((name) => !after.sets.has(name))
      .map((name) => `delete set inet ${TABLE} ${name}`),
  );
  return commands.length === 0 ? '' : `${commands.join('\n')}\n`;
}

const sameElements = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((element) => other.has(element));
