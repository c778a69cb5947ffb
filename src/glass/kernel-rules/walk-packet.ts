/**
 * What the rules of a node's kernel do with the first packet of a connection, whoever wrote them: kube-proxy, a policy engine, or
 * an administrator. A rule that depends on what is not known here (an interface, a mark) leaves several outcomes open.
 */
import { isRecord } from '../../base/index.ts';
import { ANY, equals, holds, unwrapped, valueOf, type Packet } from './evaluate.ts';
import { iptablesTables } from './iptables.ts';
import { nftablesTables, type Chain, type Expression, type NodeRules, type Rule, type Table } from './ruleset.ts';

export interface Destination {
  readonly address: string;
  readonly port: number;
}

/** Where in the rules something was decided: `table inet firewall, chain forward: tcp dport 8080 drop`. */
type Place = string;

interface PacketOutcome {
  /** The ends that the packet may have. */
  readonly passes: boolean;
  /** The rules that drop or reject it, or may. */
  readonly endedBy: readonly Place[];
  /** Destinations that it is translated to; empty where none does. */
  readonly destinations: readonly Destination[];
}

type Hook = 'prerouting' | 'input' | 'forward' | 'postrouting';

const MAX_DEPTH = 16;
/** What one chain may cost; a table of kube-proxy is walked in a few rules. */
const MAX_RULES = 100_000;

export class KernelRules {
  readonly #tables: readonly Table[];

  /** The interface to other nodes, where it is known. */
  readonly uplink: string | undefined;

  constructor({ nftables, iptables = [], uplink }: NodeRules) {
    this.uplink = uplink;
    this.#tables = [
      ...nftablesTables(nftables),
      ...iptables.flatMap(({ family, text }) => iptablesTables(family, text)),
    ];
  }

  /** Through the base chains of a hook, in the order of their priorities. The first translation is the one that counts. */
  walk(hook: Hook, packet: Packet): PacketOutcome {
    const own = packet.family === 'IPv4' ? 'ip' : 'ip6';
    const bases = this.#tables
      .filter(({ family }) => family === 'inet' || family === own)
      .flatMap((table) =>
        [...table.chains.values()].flatMap((chain) => (chain.hook === hook ? [{ table, chain }] : [])),
      )
      .sort((a, b) => a.chain.priority - b.chain.priority);
    const endedBy: Place[] = [];
    let destinations: readonly Destination[] = [];
    for (const { table, chain } of bases) {
      const walked = new ChainWalk(table, packet);
      walked.start(chain);
      endedBy.push(...walked.ends);
      if (destinations.length === 0) destinations = walked.destinations;
      if (!walked.passes) return { passes: false, endedBy, destinations: [] };
    }
    return { passes: true, endedBy, destinations };
  }
}

/** `return` leaves the chain; `end` is a verdict. */
type Flow = 'continue' | 'return' | 'end';

class ChainWalk {
  passes = false;
  readonly ends: Place[] = [];
  readonly destinations: Destination[] = [];
  readonly #table: Table;
  readonly #packet: Packet;
  #left = MAX_RULES;

  constructor(table: Table, packet: Packet) {
    this.#table = table;
    this.#packet = packet;
  }

  start(base: Chain): void {
    if (this.#chain(base, 0) === 'end') return;
    if (base.drops) this.ends.push(`${this.#tableText()}, chain ${base.name}: its policy is drop`);
    else this.passes = true;
  }

  #chain(chain: Chain, depth: number): Flow {
    for (const rule of chain.rules) {
      if (this.#left-- <= 0 || depth > MAX_DEPTH) break;
      const flow = this.#rule(chain, rule, depth);
      if (flow === 'end') return 'end';
      if (flow === 'return') return 'return';
    }
    return 'continue';
  }

  #rule(chain: Chain, rule: Rule, depth: number): Flow {
    let sure = true;
    for (const statement of rule.statements) {
      const [kind = '', value] = Object.entries(statement)[0] ?? [];
      if (kind === 'match') {
        const result = holds(value as Expression, this.#packet, this.#table);
        if (result === false) return 'continue';
        sure &&= result === true;
      } else if (kind === 'limit' || kind === 'xt' || kind === 'quota') sure = false;
      else if (kind === 'vmap') {
        const flow = this.#verdicts(chain, rule, { map: value as Expression, sure, depth });
        if (flow !== 'continue') return flow;
      } else {
        const flow = this.#verdict(chain, rule, { statement, depth });
        if (flow !== 'continue' && sure) return flow;
      }
    }
    return 'continue';
  }

  /** All verdicts of the map whose keys the packet may have. */
  #verdicts(
    chain: Chain,
    rule: Rule,
    { map, sure, depth }: { readonly map: Expression; readonly sure: boolean; readonly depth: number },
  ): Flow {
    const found = this.#lookup(map);
    const flows = found.map(({ value }) =>
      isRecord(value) ? this.#verdict(chain, rule, { statement: value, depth }) : 'continue',
    );
    // One of several applies, whichever it is.
    const isSure = sure && found.some(({ isCertain }) => isCertain) && flows.every((flow) => flow === flows[0]);
    return isSure ? (flows[0] ?? 'continue') : 'continue';
  }

  #lookup({ key, data }: Expression): { readonly value: unknown; readonly isCertain: boolean }[] {
    const value = valueOf(key, this.#packet);
    const pairs =
      typeof data === 'string'
        ? (this.#table.elements.get(data.replace(/^@/, '')) ?? [])
        : isRecord(data) && Array.isArray(data['set'])
          ? (data['set'] as unknown[])
          : [];
    return pairs.flatMap((pair) => {
      if (!Array.isArray(pair)) return [];
      const equal = value === ANY ? true : equals(value, unwrapped(pair[0]));
      return equal === false ? [] : [{ value: pair[1] as unknown, isCertain: equal === true }];
    });
  }

  #verdict(
    chain: Chain,
    rule: Rule,
    { statement, depth }: { readonly statement: Expression; readonly depth: number },
  ): Flow {
    const [kind = '', value] = Object.entries(statement)[0] ?? [];
    switch (kind) {
      case 'accept':
      case 'masquerade':
      case 'redirect':
        this.passes = true;
        return 'end';
      case 'drop':
      case 'reject':
        this.ends.push(`${this.#tableText()}, chain ${chain.name}: ${rule.text || kind}`);
        return 'end';
      case 'return':
        return 'return';
      case 'dnat':
        this.destinations.push(...this.#translated(value as Expression));
        this.passes = true;
        return 'end';
      case 'jump':
      case 'goto': {
        const target = this.#table.chains.get(String((value as Expression)['target']));
        const flow = target ? this.#chain(target, depth + 1) : 'continue';
        if (flow === 'end') return 'end';
        return kind === 'goto' ? 'return' : 'continue';
      }
      default:
        return 'continue';
    }
  }

  #translated({ addr, port }: Expression): Destination[] {
    const mapped = isRecord(addr) && isRecord(addr['map']) ? this.#lookup(addr['map']) : [{ value: addr }];
    return mapped.flatMap(({ value }) => {
      const [address, own] =
        isRecord(value) && Array.isArray(value['concat']) ? (value['concat'] as unknown[]) : [value];
      return typeof address === 'string' ? [{ address, port: Number(own ?? port ?? this.#packet.port) }] : [];
    });
  }

  #tableText(): string {
    return `table ${this.#table.family} ${this.#table.name}`;
  }
}
