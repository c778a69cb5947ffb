/**
 * Servers on the node that policies treat as pods: above all cluster DNS, which other clusters run as pods labelled
 * k8s-app=kube-dns on port 53. An egress rule that selects such pods also allows the server here, on the port where
 * it really listens.
 */
import type { NetworkPolicyPeer, NetworkPolicyPort } from '../api/generated/networking-v1.ts';
import { peerSelects, portSelects } from '../machinery/network-policy/index.ts';

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
  const other = { ...virtualPod, namespaceLabels: namespaces.get(virtualPod.namespace) ?? {} };
  if (peers?.length && !peers.some((peer) => peerSelects(peer, namespace, other))) return [];
  const allowed = virtualPod.ports.filter(
    ({ protocol, port, name }) =>
      !ports?.length ||
      ports.some((each) => portSelects(each, { protocol, port, names: name === undefined ? [] : [name] })),
  );
  return allowed.map(
    ({ protocol, listensOn }) =>
      `${virtualPod.address.includes(':') ? 'ip6' : 'ip'} daddr ${virtualPod.address} ${protocol.toLowerCase()} dport ${listensOn}`,
  );
}
