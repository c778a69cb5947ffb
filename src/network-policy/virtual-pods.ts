/**
 * Servers on the node that policies treat as pods: above all cluster DNS, which other clusters run as pods labelled
 * k8s-app=kube-dns on port 53. An egress rule that selects such pods also allows the server here, on the port where
 * it really listens.
 */
import type { NetworkPolicyPeer, NetworkPolicyPort } from '../api/generated/networking-v1.ts';
import { AddressRange } from '../base/index.ts';
import { labelSelectorAsSelector } from '../machinery/selectors/index.ts';

export interface VirtualPod {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The server's address, after DNAT of Services. */
  readonly address: string;
  readonly ports: readonly VirtualPodPort[];
}

interface VirtualPodPort {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  /** The port that policies name. */
  readonly port: number;
  readonly name?: string;
  /** The port that the server really listens on. */
  readonly listensOn: number;
}

interface EgressRule {
  /** The policy's namespace. */
  readonly namespace: string;
  readonly peers: readonly NetworkPolicyPeer[] | undefined;
  readonly ports: readonly NetworkPolicyPort[] | undefined;
}

/** The nftables matches for the ports of a virtual pod that an egress rule allows. */
export function virtualPodMatches(
  virtualPod: VirtualPod,
  { namespace, peers, ports }: EgressRule,
  namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>,
): string[] {
  if (peers?.length && !peers.some((peer) => peerSelects(virtualPod, peer, { namespace, namespaces }))) return [];
  const allowed = virtualPod.ports.filter((port) => !ports?.length || ports.some((each) => portMatches(port, each)));
  return allowed.map(
    ({ protocol, listensOn }) =>
      `${virtualPod.address.includes(':') ? 'ip6' : 'ip'} daddr ${virtualPod.address} ${protocol.toLowerCase()} dport ${listensOn}`,
  );
}

function peerSelects(
  virtualPod: VirtualPod,
  peer: NetworkPolicyPeer,
  policy: { namespace: string; namespaces: ReadonlyMap<string, Readonly<Record<string, string>>> },
): boolean {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (ipBlock !== undefined) {
    const inside = (cidr: string): boolean => AddressRange.parse(cidr).contains(virtualPod.address);
    return inside(ipBlock.cidr) && !(ipBlock.except ?? []).some(inside);
  }
  const namespaceMatches =
    namespaceSelector === undefined
      ? virtualPod.namespace === policy.namespace
      : labelSelectorAsSelector(namespaceSelector).matches(policy.namespaces.get(virtualPod.namespace) ?? {});
  return namespaceMatches && labelSelectorAsSelector(podSelector ?? {}).matches(virtualPod.labels);
}

function portMatches({ protocol, port, name }: VirtualPodPort, rule: NetworkPolicyPort): boolean {
  if ((rule.protocol ?? 'TCP') !== protocol) return false;
  if (rule.port === undefined) return true;
  if (typeof rule.port === 'string') return rule.port === name;
  return rule.port <= port && port <= (rule.endPort ?? rule.port);
}
