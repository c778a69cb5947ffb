/** The rules that `iptables-save` prints, as tables of nftables: both are walked by the same code. */
import type { Chain, Expression, Table } from './ruleset.ts';

const HOOKS: ReadonlyMap<string, string> = new Map([
  ['PREROUTING', 'prerouting'],
  ['INPUT', 'input'],
  ['FORWARD', 'forward'],
  ['OUTPUT', 'output'],
  ['POSTROUTING', 'postrouting'],
]);
const PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['raw', -300],
  ['mangle', -150],
  ['nat', -100],
  ['filter', 0],
]);
const MAX_LINES = 500_000;

export function iptablesTables(family: 'ip' | 'ip6', text: string): Table[] {
  const tables: Table[] = [];
  for (const line of text.split('\n', MAX_LINES)) {
    const table = tables.at(-1);
    if (line.startsWith('*'))
      tables.push({ family, name: `${line.slice(1)} (iptables)`, chains: new Map(), elements: new Map() });
    else if (line.startsWith(':') && table) {
      const [name = '', policy] = line.slice(1).split(' ');
      table.chains.set(name, chainOf(name, policy, table.name.split(' ')[0]!));
    } else if (line.startsWith('-A ') && table) {
      const [, name = '', ...words] = wordsOf(line);
      table.chains.get(name)?.rules.push({ statements: statementsOf(words, family), text: words.join(' ') });
    }
  }
  return tables;
}

function chainOf(name: string, policy: string | undefined, table: string): Chain {
  const hook = HOOKS.get(name);
  return {
    name,
    rules: [],
    priority: PRIORITIES.get(table) ?? 0,
    drops: policy === 'DROP',
    ...(hook ? { hook } : {}),
  };
}

/** Words, of which some are in quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

const payload = (protocol: string, field: string): Expression => ({ payload: { protocol, field } });

/** What a match extension or target needs that is not known here: the rule may match or not. */
const UNKNOWN: Expression = { xt: null };

/** Options that say nothing about packets, and how many words they have. */
const PLAIN = new Set(['-m', '--comment', '--tcp-flags', '--reject-with', '--random-fully', '--to-destination']);

function statementsOf(words: readonly string[], family: 'ip' | 'ip6'): Expression[] {
  const statements: Expression[] = [];
  for (let i = 0; i < words.length; i++) {
    const isNegated = words[i] === '!';
    if (isNegated) i++;
    const [option = '', value = ''] = [words[i], words[i + 1]];
    const match = (left: Expression, right: unknown): void => {
      statements.push({ match: { op: isNegated ? '!=' : '==', left, right } });
      i++;
    };
    if (option === '-s') match(payload(family, 'saddr'), addressOf(value));
    else if (option === '-d') match(payload(family, 'daddr'), addressOf(value));
    else if (option === '-p') match({ meta: { key: 'l4proto' } }, value);
    else if (option === '--dport') match(payload('th', 'dport'), portsOf(value));
    else if (option === '--ctstate') match({ ct: { key: 'state' } }, value.toLowerCase().split(','));
    else if (option === '-j' || option === '-g') {
      statements.push(targetOf(option, value, words.slice(i + 2)));
      i++;
    } else if (PLAIN.has(option)) i++;
    else if (option.startsWith('-')) statements.push(UNKNOWN);
  }
  return statements;
}

function addressOf(text: string): unknown {
  const [addr, len] = text.split('/');
  return len === undefined ? text : { prefix: { addr, len: Number(len) } };
}

function portsOf(text: string): unknown {
  const [from, to] = text.split(':');
  return to === undefined ? Number(from) : { range: [Number(from), Number(to)] };
}

function targetOf(option: string, target: string, rest: readonly string[]): Expression {
  switch (target) {
    case 'ACCEPT':
    case 'DROP':
    case 'REJECT':
    case 'RETURN':
    case 'MASQUERADE':
      return { [target.toLowerCase()]: null };
    case 'DNAT': {
      const match = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(rest[rest.indexOf('--to-destination') + 1] ?? '');
      return { dnat: { addr: match?.[1], ...(match?.[2] ? { port: Number(match[2]) } : {}) } };
    }
    case 'MARK':
    case 'LOG':
      return { counter: null };
    default:
      return { [option === '-g' ? 'goto' : 'jump']: { target } };
  }
}
