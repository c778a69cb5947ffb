/**
 * Servers that policies take for pods although they are none: cluster DNS above all, which others run as pods labelled
 * k8s-app=kube-dns on port 53. A policy that lets pods send to those lets them send to the stand-in, wherever it listens.
 */
import type { NetworkPolicyPeer, NetworkPolicyPort } from '../api/generated/networking-v1.ts';
import { AddressRange } from '../base/index.ts';
import { labelSelectorAsSelector } from '../machinery/selectors/index.ts';

export interface StandIn {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Where it is after services were resolved. */
  readonly address: string;
  readonly ports: readonly StandInPort[];
}

export interface StandInPort {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  /** The port that a pod in its place would have. */
  readonly port: number;
  readonly name?: string;
  readonly listensOn: number;
}

export interface EgressRule {
  /** The policy's namespace. */
  readonly namespace: string;
  readonly peers: readonly NetworkPolicyPeer[] | undefined;
  readonly ports: readonly NetworkPolicyPort[] | undefined;
}

/** What a rule for egress allows of it, as matches of nftables. */
export function standInMatches(
  standIn: StandIn,
  { namespace, peers, ports }: EgressRule,
  namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>,
): string[] {
  if (peers?.length && !peers.some((peer) => isMeant(standIn, peer, { namespace, namespaces }))) return [];
  const allowed = standIn.ports.filter((port) => !ports?.length || ports.some((each) => isPort(port, each)));
  return allowed.map(
    ({ protocol, listensOn }) =>
      `${standIn.address.includes(':') ? 'ip6' : 'ip'} daddr ${standIn.address} ${protocol.toLowerCase()} dport ${listensOn}`,
  );
}

function isMeant(
  standIn: StandIn,
  peer: NetworkPolicyPeer,
  place: { namespace: string; namespaces: ReadonlyMap<string, Readonly<Record<string, string>>> },
): boolean {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (ipBlock !== undefined) {
    const inside = (cidr: string): boolean => AddressRange.parse(cidr).contains(standIn.address);
    return inside(ipBlock.cidr) && !(ipBlock.except ?? []).some(inside);
  }
  const rightNamespace =
    namespaceSelector === undefined
      ? standIn.namespace === place.namespace
      : labelSelectorAsSelector(namespaceSelector).matches(place.namespaces.get(standIn.namespace) ?? {});
  return rightNamespace && labelSelectorAsSelector(podSelector ?? {}).matches(standIn.labels);
}

function isPort({ protocol, port, name }: StandInPort, rule: NetworkPolicyPort): boolean {
  if ((rule.protocol ?? 'TCP') !== protocol) return false;
  if (rule.port === undefined) return true;
  if (typeof rule.port === 'string') return rule.port === name;
  return rule.port <= port && port <= (rule.endPort ?? rule.port);
}
