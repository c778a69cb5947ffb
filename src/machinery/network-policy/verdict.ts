/** What the policies of one side say about one connection. */
import { peerSelects, portSelects, type PolicyPeer } from './peers.ts';
import type { Direction, SelectingPolicy } from './selecting-policy.ts';

interface Connection {
  readonly direction: Direction;
  /** The pod whose policies these are. */
  readonly pod: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
  readonly peer: PolicyPeer;
  /** Of the destination, after translation of Services. */
  readonly protocol: string;
  readonly port: number;
  /** What the destination's containers call the port. */
  readonly portNames: readonly string[];
}

interface PolicyVerdict {
  readonly allowed: boolean;
  /** The policies that isolate the pod in this direction; without any, everything is allowed. */
  readonly isolatedBy: readonly string[];
  /** The first policy with a rule that allows it. */
  readonly allowedBy?: string;
}

export function policyVerdict(policies: readonly SelectingPolicy[], connection: Connection): PolicyVerdict {
  const { direction, pod, peer, protocol, port, portNames } = connection;
  const selecting = policies.filter(
    ({ namespace, selector, rules }) =>
      namespace === pod.namespace && rules[direction] !== undefined && selector.matches(pod.labels),
  );
  const isolatedBy = selecting.map(({ namespace, name }) => `${namespace}/${name}`);
  if (selecting.length === 0) return { allowed: true, isolatedBy };
  const asked = { protocol, port, names: portNames };
  const rule = selecting
    .flatMap(({ rules }) => rules[direction] ?? [])
    .find(
      ({ peers, ports, namespace }) =>
        (!peers?.length || peers.some((one) => peerSelects(one, namespace, peer))) &&
        (!ports?.length || ports.some((one) => portSelects(one, asked))),
    );
  return { allowed: rule !== undefined, isolatedBy, ...(rule ? { allowedBy: rule.policy } : {}) };
}
