/** The input of the policy plan: NetworkPolicies, pods with their addresses and named ports, and namespaces' labels. */
import net from 'node:net';
import type { Namespace, Pod } from '../api/generated/core-v1.ts';
import type { NetworkPolicy } from '../api/generated/networking-v1.ts';
import { isTerminalPhase, longRunningContainers } from '../component-helpers/index.ts';

export interface PolicyPod {
  readonly namespace: string;
  readonly name: string;
  readonly nodeName: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly ipv4: string | undefined;
  readonly ipv6: string | undefined;
  readonly ports: readonly { readonly name: string; readonly protocol: string; readonly port: number }[];
}

export interface ClusterView {
  readonly policies: readonly NetworkPolicy[];
  readonly podsByNamespace: ReadonlyMap<string, readonly PolicyPod[]>;
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

export function clusterView({
  policies,
  pods,
  namespaces,
}: {
  policies: readonly NetworkPolicy[];
  pods: readonly Pod[];
  namespaces: readonly Namespace[];
}): ClusterView {
  const podsByNamespace = new Map<string, PolicyPod[]>();
  for (const pod of pods) {
    const relevant = policyPod(pod);
    if (relevant === undefined) continue;
    const list = podsByNamespace.get(relevant.namespace);
    if (list === undefined) podsByNamespace.set(relevant.namespace, [relevant]);
    else list.push(relevant);
  }
  return {
    policies,
    podsByNamespace,
    namespaces: new Map(namespaces.map(({ metadata }) => [metadata.name!, metadata.labels ?? {}])),
  };
}

/**
 * Policies do not apply to hostNetwork pods: their traffic is the node's. A pod in a terminal phase no longer owns
 * the addresses in its status; another pod may have them.
 */
function policyPod({ metadata, spec, status }: Pod): PolicyPod | undefined {
  if (spec?.hostNetwork || isTerminalPhase(status?.phase)) return undefined;
  const ips = (status?.podIPs ?? []).map(({ ip }) => ip);
  const all = ips.length === 0 && status?.podIP ? [status.podIP] : ips;
  const [ipv4, ipv6] = [all.find((ip) => net.isIPv4(ip)), all.find((ip) => net.isIPv6(ip))];
  if (ipv4 === undefined && ipv6 === undefined) return undefined;
  const ports = longRunningContainers(spec).flatMap((container) =>
    (container.ports ?? []).flatMap(({ name, protocol = 'TCP', containerPort }) =>
      name ? [{ name, protocol, port: containerPort }] : [],
    ),
  );
  return {
    namespace: metadata.namespace!,
    name: metadata.name!,
    nodeName: spec?.nodeName,
    labels: metadata.labels ?? {},
    ipv4,
    ipv6,
    ports,
  };
}

/** Whether the policy rules are the same for both versions of a pod; most status updates change nothing. */
export function samePolicyPod(before: Pod, after: Pod): boolean {
  return JSON.stringify(policyPod(before)) === JSON.stringify(policyPod(after));
}
