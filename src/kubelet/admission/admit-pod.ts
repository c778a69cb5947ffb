/**
 * Pod admission: named checks whether a pod that is bound to this node can run here. The first that fails rejects it.
 */
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import {
  findUntoleratedTaint,
  longRunningContainers,
  podMatchesNode,
  podQos,
  toleratesTaint,
} from '../../component-helpers/index.ts';
import { isCriticalPod, isStaticPod, allocatedRequests } from '../pod/pod-resources.ts';

export interface PodRejection {
  readonly reason: string;
  readonly message: string;
  /** The resource that the node lacks and the missing amount, if that is the reason. */
  readonly insufficient?: { readonly resource: string; readonly amount: number };
}

interface AdmissionInput {
  readonly pod: Pod;
  readonly node: Node;
  /** The other admitted pods. */
  readonly others: readonly Pod[];
  readonly allocatable: Readonly<Record<string, string>>;
  readonly pressures: ReadonlySet<string>;
  readonly allowedUnsafeSysctls: readonly string[];
  readonly shuttingDown: boolean;
}

const MEMORY_PRESSURE = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' };

type Check = (input: AdmissionInput) => PodRejection | undefined;

const SAFE_SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
];

const CHECKS = {
  shutdown: ({ shuttingDown }) =>
    shuttingDown ? { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' } : undefined,
  pressure: rejectUnderPressure,
  sysctls: ({ pod, allowedUnsafeSysctls }) => {
    const forbidden = (pod.spec?.securityContext?.sysctls ?? []).find(
      ({ name }) =>
        !SAFE_SYSCTLS.includes(name) &&
        !allowedUnsafeSysctls.some((pattern) =>
          pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
        ),
    );
    return (
      forbidden && {
        reason: 'SysctlForbidden',
        message: `forbidden sysctl: ${JSON.stringify(forbidden.name)} not allowlisted`,
      }
    );
  },
  operatingSystem: ({ pod }) =>
    pod.spec?.os?.name && pod.spec.os.name !== 'linux'
      ? { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" }
      : undefined,
  affinity: ({ pod, node }) =>
    isStaticPod(pod) || podMatchesNode(pod.spec, node)
      ? undefined
      : {
          reason: 'NodeAffinity',
          message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        },
  taints: ({ pod, node }) => {
    const taint = isStaticPod(pod)
      ? undefined
      : findUntoleratedTaint(node.spec?.taints, pod.spec?.tolerations, ({ effect }) => effect === 'NoExecute');
    return (
      taint && {
        reason: 'TaintToleration',
        message: "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
      }
    );
  },
  ports: ({ pod, others }) => {
    const usedPorts = new Set(others.flatMap(hostPorts));
    return hostPorts(pod).some((port) => usedPorts.has(port))
      ? {
          reason: 'NodePorts',
          message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
        }
      : undefined;
  },
  resources: rejectInsufficientResources,
} as const satisfies Record<string, Check>;

export function admitPod(input: AdmissionInput): PodRejection | undefined {
  for (const check of Object.values(CHECKS)) {
    const rejection = check(input);
    if (rejection !== undefined) return rejection;
  }
  return undefined;
}

function rejectUnderPressure({ pod, pressures }: AdmissionInput): PodRejection | undefined {
  if (pressures.size === 0 || isCriticalPod(pod)) return undefined;
  if (pressures.size === 1 && pressures.has('MemoryPressure')) {
    if (podQos(pod) !== 'BestEffort') return undefined;
    if (pod.spec?.tolerations?.some((toleration) => toleratesTaint(toleration, MEMORY_PRESSURE))) return undefined;
  }
  return { reason: 'Evicted', message: `The node had condition: [${[...pressures].join(' ')}]. ` };
}

function hostPorts({ spec }: Pod): string[] {
  return longRunningContainers(spec).flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort)
      .map(
        ({ hostPort, protocol = 'TCP', hostIP }) =>
          `${protocol}:${hostPort}:${hostIP && hostIP !== '0.0.0.0' ? hostIP : ''}`,
      ),
  );
}

function rejectInsufficientResources({ pod, others, allocatable }: AdmissionInput): PodRejection | undefined {
  const capacityPods = parseQuantity(allocatable['pods'] ?? '110').value();
  if (others.length + 1 > capacityPods) return outOf('pods', 1, others.length, capacityPods);
  const used = new Map<string, number>();
  for (const other of others)
    for (const [name, quantity] of allocatedRequests(other))
      used.set(name, (used.get(name) ?? 0) + amount(name, quantity));
  for (const [name, quantity] of allocatedRequests(pod)) {
    const requested = amount(name, quantity);
    if (requested === 0) continue;
    const capacity = amount(name, parseQuantity(allocatable[name] ?? '0'));
    // After a restart of the kubelet, a device plugin may not have registered yet.
    if (allocatable[name] === undefined && name.includes('/')) continue;
    const inUse = used.get(name) ?? 0;
    if (requested > capacity - inUse) return outOf(name, requested, inUse, capacity);
  }
  return undefined;
}

const amount = (name: string, quantity: { milliValue(): number; value(): number }): number =>
  name === 'cpu' ? quantity.milliValue() : quantity.value();

const outOf = (resource: string, requested: number, used: number, capacity: number): PodRejection => ({
  reason: `OutOf${resource}`,
  message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  insufficient: { resource, amount: requested - (capacity - used) },
});
