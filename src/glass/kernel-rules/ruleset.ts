/**
 * The nftables rules of a node, as `nft -j list ruleset` prints them, in the form in which a packet is walked through them.
 * Of the statements only those are known that decide what becomes of a packet.
 */
import { isRecord } from '../../base/index.ts';

/** What a node's kernel has: the output of the programs that list its rules. */
export interface NodeRules {
  /** Of `nft -j list ruleset`. */
  readonly nftables?: unknown;
  /** The interface to other nodes. */
  readonly uplink?: string;
  /** Of `iptables-save` and `ip6tables-save`, where kube-proxy uses them. */
  readonly iptables?: readonly { readonly family: 'ip' | 'ip6'; readonly text: string }[];
}

/** An expression or statement of nft's JSON. */
export type Expression = Readonly<Record<string, unknown>>;

export interface Rule {
  readonly statements: readonly Expression[];
  /** As people would read it. */
  readonly text: string;
}

export interface Chain {
  readonly name: string;
  readonly rules: Rule[];
  /** Of a base chain. */
  readonly hook?: string;
  readonly priority: number;
  readonly type?: string;
  readonly drops: boolean;
}

export interface Table {
  readonly family: string;
  readonly name: string;
  readonly chains: Map<string, Chain>;
  /** Sets and maps, by name; those of a map are pairs. */
  readonly elements: Map<string, readonly unknown[]>;
}

const FAMILIES = new Set(['ip', 'ip6', 'inet']);

export function nftablesTables(listed: unknown): Table[] {
  const tables = new Map<string, Table>();
  const entries = isRecord(listed) && Array.isArray(listed['nftables']) ? (listed['nftables'] as unknown[]) : [];
  const tableOf = (entry: Expression, name: unknown): Table | undefined =>
    tables.get(`${String(entry['family'])} ${String(name)}`);
  for (const item of entries) {
    const [kind = '', entry] = isRecord(item) ? (Object.entries(item)[0] ?? []) : [];
    if (!isRecord(entry)) continue;
    const [family, name] = [String(entry['family']), String(entry['name'])];
    if (kind === 'table' && FAMILIES.has(family))
      tables.set(`${family} ${name}`, { family, name, chains: new Map(), elements: new Map() });
    else if (kind === 'chain') tableOf(entry, entry['table'])?.chains.set(name, chainOf(name, entry));
    else if (kind === 'set' || kind === 'map')
      tableOf(entry, entry['table'])?.elements.set(name, (entry['elem'] as unknown[] | undefined) ?? []);
    else if (kind === 'rule') {
      const statements = (entry['expr'] as Expression[] | undefined) ?? [];
      const text = typeof entry['comment'] === 'string' ? entry['comment'] : statements.map(statementText).join(' ');
      tableOf(entry, entry['table'])?.chains.get(String(entry['chain']))?.rules.push({ statements, text: text.trim() });
    }
  }
  return [...tables.values()];
}

function chainOf(name: string, { hook, prio, type, policy }: Expression): Chain {
  return {
    name,
    rules: [],
    ...(typeof hook === 'string' ? { hook } : {}),
    ...(typeof type === 'string' ? { type } : {}),
    priority: Number(prio ?? 0),
    drops: policy === 'drop',
  };
}

/** Near enough to nft's own words to be found in `nft list ruleset`. */
function statementText(statement: Expression): string {
  const [kind = '', value] = Object.entries(statement)[0] ?? [];
  if (kind === 'match' && isRecord(value)) {
    const operator = value['op'] === '==' || value['op'] === 'in' ? '' : `${String(value['op'])} `;
    return `${valueText(value['left'])} ${operator}${valueText(value['right'])}`;
  }
  if (kind === 'vmap' && isRecord(value)) return `${valueText(value['key'])} vmap ${valueText(value['data'])}`;
  if ((kind === 'jump' || kind === 'goto') && isRecord(value)) return `${kind} ${String(value['target'])}`;
  if (kind === 'dnat' && isRecord(value)) return `dnat to ${valueText(value['addr'])}`;
  return kind === 'counter' || kind === 'xt' ? '' : kind;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(',');
  if (!isRecord(value)) return String(value);
  const [kind = '', inner] = Object.entries(value)[0] ?? [];
  if (kind === 'payload' && isRecord(inner)) return `${String(inner['protocol'])} ${String(inner['field'])}`;
  if ((kind === 'meta' || kind === 'ct') && isRecord(inner)) return `${kind} ${String(inner['key'])}`;
  if (kind === 'prefix' && isRecord(inner)) return `${String(inner['addr'])}/${String(inner['len'])}`;
  if (kind === 'set' && Array.isArray(inner)) return `{ ${inner.map(valueText).join(', ')} }`;
  if (kind === 'concat' && Array.isArray(inner)) return inner.map(valueText).join(' . ');
  if (kind === 'range' && Array.isArray(inner)) return inner.map(valueText).join('-');
  return kind;
}
