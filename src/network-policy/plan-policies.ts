/**
 * Plans the NetworkPolicy rules of one node from policies, pods and namespaces. Pure.
 *
 * Pods that the same policies select share a chain: one rule that returns for each allowed kind of traffic, then a
 * rule that drops. Peers are sets named after their selector, so that pods that come and go change elements and no
 * rules.
 */
import { createHash } from 'node:crypto';
import type { NetworkPolicyPeer, NetworkPolicyPort } from '../api/generated/networking-v1.ts';
import {
  selectingPolicy,
  type DirectedRule,
  type Direction,
  type SelectingPolicy,
} from '../machinery/network-policy/index.ts';
import { labelSelectorAsSelector } from '../machinery/selectors/index.ts';
import { blockElements } from './address-intervals.ts';
import type { ClusterView, PolicyPod } from './cluster-view.ts';
import type { NftSet, PodMap, Ruleset } from './ruleset.ts';
import { virtualPodMatches, type VirtualPod } from './virtual-pods.ts';

export interface PlanOptions {
  readonly nodeName: string;
  /** Destinations that policies never block, such as a DNS server that is not a pod. */
  readonly alwaysAllowed?: readonly AllowedDestination[];
  /** Servers on the node that policies select as if they were pods. */
  readonly virtualPods?: readonly VirtualPod[];
}

interface AllowedDestination {
  readonly address: string;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly port: number;
}

type Family = 4 | 6;

export function planPolicies(
  view: ClusterView,
  { nodeName, alwaysAllowed = [], virtualPods = [] }: PlanOptions,
): Ruleset {
  const planner = new Planner(view, virtualPods);
  for (const [namespace, policies] of byNamespace(view.policies.map(selectingPolicy))) {
    for (const pod of view.podsByNamespace.get(namespace) ?? []) {
      if (pod.nodeName !== nodeName) continue;
      const own = policies.filter(({ selector }) => selector.matches(pod.labels));
      for (const direction of ['ingress', 'egress'] as const)
        planner.isolate(
          pod,
          direction,
          own.flatMap(({ rules }) => (rules[direction] === undefined ? [] : [rules[direction]])),
        );
    }
  }
  return planner.ruleset(alwaysAllowed);
}

function byNamespace(policies: readonly SelectingPolicy[]): Map<string, SelectingPolicy[]> {
  const groups = new Map<string, SelectingPolicy[]>();
  for (const policy of policies) groups.set(policy.namespace, [...(groups.get(policy.namespace) ?? []), policy]);
  return groups;
}

class Planner {
  readonly #view: ClusterView;
  readonly #virtualPods: readonly VirtualPod[];
  readonly #sets = new Map<string, NftSet>();
  readonly #chains = new Map<string, readonly string[]>();
  readonly #maps = new Map<PodMap, Map<string, string>>([
    ['ingress4', new Map()],
    ['ingress6', new Map()],
    ['egress4', new Map()],
    ['egress6', new Map()],
  ]);
  readonly #peerPods = new Map<string, readonly PolicyPod[]>();

  constructor(view: ClusterView, virtualPods: readonly VirtualPod[]) {
    this.#view = view;
    this.#virtualPods = virtualPods;
  }

  /**
   * `policies` are the rules of each policy that selects the pod in this direction. Without any the pod is not
   * isolated.
   */
  isolate(pod: PolicyPod, direction: Direction, policies: readonly (readonly DirectedRule[])[]): void {
    if (policies.length === 0) return;
    const rules = [
      ...new Set(policies.flat().flatMap((rule) => this.#statements(rule, direction, pod))),
      'counter drop',
    ];
    const chain = `${direction}-${digest(rules.join('\n'))}`;
    this.#chains.set(chain, rules);
    if (pod.ipv4 !== undefined) this.#maps.get(`${direction}4`)!.set(pod.ipv4, chain);
    if (pod.ipv6 !== undefined) this.#maps.get(`${direction}6`)!.set(pod.ipv6, chain);
  }

  #statements(rule: DirectedRule, direction: Direction, pod: PolicyPod): string[] {
    const { peers, ports } = rule;
    const comment = `comment "${rule.policy.slice(0, 120)}"`;
    const allow = (...matches: readonly string[]): string =>
      [...matches.filter((match) => match !== ''), 'return', comment].join(' ');
    const numbered = portMatches(ports, (port) => (direction === 'ingress' ? portNumber(pod, port) : undefined));
    const addresses = peers === undefined || peers.length === 0 ? [''] : this.#peerMatches(rule, peers, direction);
    const statements = numbered.flatMap((ports) => addresses.map((address) => allow(address, ports)));
    if (direction === 'ingress') return statements;
    // For egress each peer's containers define what a named port is, so the set holds address and port of each peer.
    const named = (ports ?? []).flatMap((port) => this.#namedPortMatches(rule, peers, port));
    const virtualPods = this.#virtualPods.flatMap((virtualPod) =>
      virtualPodMatches(virtualPod, rule, this.#view.namespaces),
    );
    return [...statements, ...[...named, ...virtualPods].map((match) => allow(match))];
  }

  #peerMatches({ namespace }: DirectedRule, peers: readonly NetworkPolicyPeer[], direction: Direction): string[] {
    const side = direction === 'ingress' ? 'saddr' : 'daddr';
    const blocks = peers.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : [ipBlock]));
    const selectorPeers = peers.filter(({ ipBlock }) => ipBlock === undefined);
    const matches: string[] = [];
    for (const family of [4, 6] as const) {
      if (selectorPeers.length > 0) {
        const name = `pods${family}-${digest(JSON.stringify([namespace, selectorPeers]))}`;
        this.#set(name, family, () =>
          this.#podsOf(namespace, selectorPeers).flatMap((pod) => addressOf(pod, family) ?? []),
        );
        matches.push(`${familyName(family)} ${side} @${name}`);
      }
      const elements = blockElements(blocks, family);
      if (elements.length > 0) {
        const name = `blocks${family}-${digest(elements.join())}`;
        this.#sets.set(name, { type: addressType(family), interval: true, elements: new Set(elements) });
        matches.push(`${familyName(family)} ${side} @${name}`);
      }
    }
    return matches;
  }

  #namedPortMatches(
    { namespace }: DirectedRule,
    peers: readonly NetworkPolicyPeer[] | undefined,
    port: NetworkPolicyPort,
  ): string[] {
    const { port: name } = port;
    if (typeof name !== 'string') return [];
    const everyPod: NetworkPolicyPeer[] = [{ namespaceSelector: {} }];
    const selectorPeers =
      peers === undefined || peers.length === 0 ? everyPod : peers.filter(({ ipBlock }) => ipBlock === undefined);
    if (selectorPeers.length === 0) return [];
    const protocol = port.protocol ?? 'TCP';
    return ([4, 6] as const).map((family) => {
      const set = `ports${family}-${digest(JSON.stringify([namespace, selectorPeers, protocol, name]))}`;
      this.#set(
        set,
        family,
        () =>
          this.#podsOf(namespace, selectorPeers).flatMap((pod) => {
            const [address, number] = [addressOf(pod, family), portNumber(pod, port)];
            return address === undefined || number === undefined
              ? []
              : [`${address} . ${protocol.toLowerCase()} . ${number}`];
          }),
        ' . inet_proto . inet_service',
      );
      return `${familyName(family)} daddr . meta l4proto . th dport @${set}`;
    });
  }

  #set(name: string, family: Family, elements: () => readonly string[], moreType = ''): void {
    if (!this.#sets.has(name))
      this.#sets.set(name, {
        type: `${addressType(family)}${moreType}`,
        interval: false,
        elements: new Set(elements()),
      });
  }

  /** The pods that any of the peers of a policy in `namespace` selects. */
  #podsOf(namespace: string, peers: readonly NetworkPolicyPeer[]): readonly PolicyPod[] {
    const key = JSON.stringify([namespace, peers]);
    const known = this.#peerPods.get(key);
    if (known !== undefined) return known;
    const pods = peers.flatMap(({ podSelector, namespaceSelector }) => {
      const podMatcher = labelSelectorAsSelector(podSelector ?? {});
      const matcher = namespaceSelector === undefined ? undefined : labelSelectorAsSelector(namespaceSelector);
      const namespaces =
        matcher === undefined
          ? [namespace]
          : [...this.#view.namespaces].filter(([, labels]) => matcher.matches(labels)).map(([name]) => name);
      return namespaces.flatMap((name) =>
        (this.#view.podsByNamespace.get(name) ?? []).filter(({ labels }) => podMatcher.matches(labels)),
      );
    });
    this.#peerPods.set(key, pods);
    return pods;
  }

  ruleset(alwaysAllowed: readonly AllowedDestination[]): Ruleset {
    // A pod can always reach itself, also through a Service.
    const always: string[] = [];
    for (const family of [4, 6] as const) {
      const isolated = new Set([
        ...this.#maps.get(`ingress${family}`)!.keys(),
        ...this.#maps.get(`egress${family}`)!.keys(),
      ]);
      if (isolated.size === 0) continue;
      this.#sets.set(`self${family}`, {
        type: `${addressType(family)} . ${addressType(family)}`,
        interval: false,
        elements: new Set([...isolated].map((address) => `${address} . ${address}`)),
      });
      always.push(`${familyName(family)} saddr . ${familyName(family)} daddr @self${family} accept`);
    }
    for (const { address, protocol, port } of alwaysAllowed) {
      always.push(
        `${address.includes(':') ? 'ip6' : 'ip'} daddr ${address} ${protocol.toLowerCase()} dport ${port} accept`,
      );
    }
    return { sets: this.#sets, chains: this.#chains, maps: this.#maps, always };
  }
}

const addressOf = ({ ipv4, ipv6 }: PolicyPod, family: Family): string | undefined => (family === 4 ? ipv4 : ipv6);
const addressType = (family: Family): string => (family === 4 ? 'ipv4_addr' : 'ipv6_addr');
const familyName = (family: Family): string => (family === 4 ? 'ip' : 'ip6');
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function portNumber(pod: PolicyPod, { port, protocol = 'TCP' }: NetworkPolicyPort): number | undefined {
  return typeof port === 'number'
    ? port
    : pod.ports.find((each) => each.name === port && each.protocol === protocol)?.port;
}

/**
 * One match per protocol for numbered ports and for named ports that `named` resolves. Without ports one match for
 * all traffic; no match if no name resolves.
 */
function portMatches(
  ports: readonly NetworkPolicyPort[] | undefined,
  named: (port: NetworkPolicyPort) => number | undefined,
): string[] {
  if (ports === undefined || ports.length === 0) return [''];
  const byProtocol = new Map<string, string[]>();
  for (const each of ports) {
    const { protocol = 'TCP', port, endPort } = each;
    const number = typeof port === 'number' ? port : port === undefined ? undefined : named(each);
    if (port !== undefined && number === undefined) continue;
    const list = byProtocol.get(protocol) ?? [];
    byProtocol.set(protocol, list);
    list.push(
      number === undefined
        ? '0-65535'
        : endPort === undefined || endPort === number
          ? String(number)
          : `${number}-${endPort}`,
    );
  }
  return [...byProtocol].map(([protocol, list]) => {
    const name = protocol.toLowerCase();
    return list.includes('0-65535') ? `meta l4proto ${name}` : `${name} dport { ${mergePorts(list).join(', ')} }`;
  });
}

/** Merges overlapping ranges, which an nftables set refuses. */
function mergePorts(list: readonly string[]): string[] {
  const intervals = list
    .map((text) => text.split('-').map(Number))
    .map(([first, last = first]) => ({ first: first!, last: last! }))
    .toSorted((a, b) => a.first - b.first);
  const merged: { first: number; last: number }[] = [];
  for (const interval of intervals) {
    const before = merged.at(-1);
    if (before !== undefined && interval.first <= before.last + 1) before.last = Math.max(before.last, interval.last);
    else merged.push({ ...interval });
  }
  return merged.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`));
}
