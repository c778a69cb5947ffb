/** Pods, namespaces and policies for tests. */
import type { Namespace, Pod } from '../../api/generated/core-v1.ts';
import type { NetworkPolicy, NetworkPolicySpec } from '../../api/generated/networking-v1.ts';

export interface TestPod {
  /** namespace/name */
  readonly key: string;
  readonly node: string;
  readonly ips: readonly string[];
  readonly labels?: Record<string, string>;
  readonly ports?: Readonly<Record<string, number>>;
  readonly phase?: string;
  readonly hostNetwork?: boolean;
}

export function makePod({
  key,
  node,
  ips,
  labels = {},
  ports = {},
  phase = 'Running',
  hostNetwork = false,
}: TestPod): Pod {
  const [namespace, name] = key.split('/') as [string, string];
  return {
    metadata: { name, namespace, labels },
    spec: {
      nodeName: node,
      hostNetwork,
      containers: [
        {
          name: 'main',
          image: 'x',
          ports: Object.entries(ports).map(([port, containerPort]) => ({ name: port, containerPort, protocol: 'TCP' })),
        },
      ],
    },
    status: { phase, podIPs: ips.map((ip) => ({ ip })) },
  };
}

export const makeNamespace = (name: string, labels: Record<string, string> = {}): Namespace => ({
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } },
});

export function makePolicy(key: string, spec: NetworkPolicySpec): NetworkPolicy {
  const [namespace, name] = key.split('/') as [string, string];
  return { metadata: { name, namespace }, spec };
}
