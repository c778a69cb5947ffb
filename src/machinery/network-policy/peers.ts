/** Whether a peer or a port of a policy's rule is the one of a connection. */
import type { NetworkPolicyPeer, NetworkPolicyPort } from '../../api/generated/networking-v1.ts';
import { AddressRange } from '../../base/index.ts';
import { labelSelectorAsSelector } from '../selectors/index.ts';

type Labels = Readonly<Record<string, string>>;

/** The other side of a connection. Without a namespace it is no pod, and only address blocks select it. */
export interface PolicyPeer {
  readonly namespace?: string | undefined;
  readonly labels?: Labels;
  readonly namespaceLabels?: Labels;
  readonly address: string;
}

export function peerSelects(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  policyNamespace: string,
  peer: PolicyPeer,
): boolean {
  if (ipBlock !== undefined) {
    const inside = (cidr: string): boolean => AddressRange.parse(cidr).contains(peer.address);
    return inside(ipBlock.cidr) && !(ipBlock.except ?? []).some(inside);
  }
  if (peer.namespace === undefined) return false;
  const namespaceMatches =
    namespaceSelector === undefined
      ? peer.namespace === policyNamespace
      : labelSelectorAsSelector(namespaceSelector).matches(peer.namespaceLabels ?? {});
  return namespaceMatches && labelSelectorAsSelector(podSelector ?? {}).matches(peer.labels ?? {});
}

/** A named port is the one that the destination's containers call so. */
export function portSelects(
  { protocol = 'TCP', port, endPort }: NetworkPolicyPort,
  asked: { readonly protocol: string; readonly port: number; readonly names: readonly string[] },
): boolean {
  if (protocol !== asked.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === 'string') return asked.names.includes(port);
  return port <= asked.port && asked.port <= (endPort ?? port);
}
