/** The Node object with which a simulated node registers. */
import type { Node, NodeCondition } from '../api/generated/core-v1.ts';
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import { formatTime } from '../base/index.ts';

/** The label of simulated nodes. */
export const SIMULATED_LABEL = 'k8ts.dev/simulated';

export interface NodeTemplate {
  /** Default: 16 cores, 64Gi, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** Default: the capacity. */
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

const DEFAULT_CAPACITY = { cpu: '16', memory: '64Gi', pods: '110', 'ephemeral-storage': '200Gi' };

/** From the range that RFC 2544 reserves for benchmarks, which no network routes. */
export function nodeAddress(index: number): string {
  return `198.${18 + ((index >> 16) & 1)}.${(index >> 8) & 255}.${index & 255}`;
}

interface NodeIdentity {
  readonly name: string;
  readonly address: string;
  readonly uid: string;
  readonly now: number;
}

export function nodeObject({ name, address, uid, now }: NodeIdentity, template: NodeTemplate = {}): Node {
  const capacity = { ...DEFAULT_CAPACITY, ...template.capacity };
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': architecture,
        'beta.kubernetes.io/os': 'linux',
        'beta.kubernetes.io/arch': architecture,
        [SIMULATED_LABEL]: 'true',
        ...template.labels,
      },
      annotations: { 'node.alpha.kubernetes.io/ttl': '0', ...template.annotations },
    },
    spec: { ...(template.taints ? { taints: template.taints.map((taint) => ({ ...taint })) } : {}) },
    status: {
      capacity,
      allocatable: { ...capacity, ...template.allocatable },
      conditions: nodeConditions(now, now),
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        machineID: uid.replaceAll('-', ''),
        systemUUID: uid,
        bootID: uid,
        kernelVersion: 'simulated',
        osImage: 'k8ts simulated node',
        containerRuntimeVersion: 'simulated://1',
        kubeletVersion: KUBERNETES_VERSION,
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture,
      },
      declaredFeatures: ['RestartAllContainersOnContainerExits'],
    },
  };
}

const HEALTHY: readonly [type: string, status: string, reason: string, message: string][] = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
];

export function nodeConditions(now: number, since: number): NodeCondition[] {
  const lastHeartbeatTime = formatTime(now);
  const lastTransitionTime = formatTime(since);
  return HEALTHY.map(([type, status, reason, message]) => ({
    type,
    status,
    lastHeartbeatTime,
    lastTransitionTime,
    reason,
    message,
  }));
}
