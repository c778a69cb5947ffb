/** Which NetworkPolicies are about a connection, and what they decide. */
import type { Namespace, Pod } from '../../api/generated/core-v1.ts';
import {
  policyVerdict,
  selectingPolicy,
  type Direction,
  type SelectingPolicy,
} from '../../machinery/network-policy/index.ts';
import type { Reader } from '../why/reader.ts';

/** The other side of a connection. */
export interface Peer {
  readonly address: string;
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The port that is asked for, and its names. */
export interface Asked {
  readonly protocol: string;
  readonly port: number;
  readonly names: readonly string[];
}

export const peerOf = (pod: Pod | undefined, address: string): Peer =>
  pod && !pod.spec?.hostNetwork
    ? { address, namespace: pod.metadata.namespace, labels: pod.metadata.labels ?? {} }
    : { address };

export const describePeer = ({ address, namespace, labels = {} }: Peer): string =>
  namespace === undefined
    ? address
    : `pods with the labels ${
        Object.entries(labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(',') || '(none)'
      } in namespace ${namespace}`;

export class ConnectionPolicies {
  /** Policies or namespaces that the asker may not list leave verdicts open. */
  readonly areKnown: boolean;
  readonly #policies: readonly SelectingPolicy[];
  readonly #namespaces: ReadonlyMap<string, Namespace>;

  private constructor(
    policies: readonly SelectingPolicy[],
    namespaces: readonly Namespace[],
    { areKnown }: { readonly areKnown: boolean },
  ) {
    this.areKnown = areKnown;
    this.#policies = policies;
    this.#namespaces = new Map(namespaces.map((namespace) => [namespace.metadata.name ?? '', namespace]));
  }

  static async read(reader: Reader): Promise<ConnectionPolicies> {
    const before = reader.unknown.length;
    const policies = await reader.list('networking.k8s.io/v1/networkpolicies');
    const namespaces = policies.length > 0 ? await reader.list('v1/namespaces') : [];
    const areKnown = reader.unknown.length === before;
    return new ConnectionPolicies(policies.map(selectingPolicy), namespaces, { areKnown });
  }

  verdict(
    direction: Direction,
    pod: Pod,
    peer: Peer,
    { protocol, port, names }: Asked,
  ): ReturnType<typeof policyVerdict> {
    // The traffic of a pod in the node's network is the node's.
    if (pod.spec?.hostNetwork) return { allowed: true, isolatedBy: [] };
    return policyVerdict(this.#policies, {
      direction,
      pod: { namespace: pod.metadata.namespace ?? '', labels: pod.metadata.labels ?? {} },
      peer: { ...peer, namespaceLabels: this.#namespaces.get(peer.namespace ?? '')?.metadata.labels ?? {} },
      protocol,
      port,
      portNames: names,
    });
  }
}
