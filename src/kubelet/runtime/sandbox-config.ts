/** The CRI PodSandboxConfig of a pod. */
import path from 'node:path';
import type { Pod } from '../../api/generated/core-v1.ts';
import { longRunningContainers } from '../../component-helpers/index.ts';
import type { DNSConfig, PodSandboxConfig, PortMapping } from '../../cri/index.ts';
import { linuxResources, type ResourceSettings } from '../pod/container-resources.ts';
import { podResources } from '../pod/pod-resources.ts';
import { sandboxLabels } from './labels.ts';
import { sandboxSecurityContext, type SecuritySettings } from './security-context.ts';

interface SandboxInput {
  readonly pod: Pod;
  readonly attempt: number;
  readonly hostname: string;
  readonly dns: DNSConfig;
  readonly logDirectory: string;
  readonly cgroupParent: string;
  readonly security: SecuritySettings;
  readonly resources: ResourceSettings;
}

export function sandboxConfig(input: SandboxInput): PodSandboxConfig {
  const { pod, attempt, hostname, dns, logDirectory, cgroupParent, security, resources } = input;
  const { name, namespace, uid, annotations } = pod.metadata;
  const portMappings = hostPorts(pod);
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: pod.spec?.hostNetwork === true && !pod.spec.hostnameOverride ? '' : hostname,
    logDirectory,
    dnsConfig: dns,
    ...(portMappings.length > 0 ? { portMappings } : {}),
    labels: sandboxLabels(pod),
    annotations: annotations ?? {},
    linux: {
      cgroupParent,
      securityContext: sandboxSecurityContext(pod, security),
      sysctls: Object.fromEntries(
        (pod.spec?.securityContext?.sysctls ?? []).map((sysctl) => [sysctl.name, sysctl.value]),
      ),
      resources: linuxResources(podResources(pod), resources),
      ...(pod.spec?.overhead === undefined
        ? {}
        : { overhead: linuxResources({ limits: pod.spec.overhead, requests: pod.spec.overhead }, resources) }),
    },
  };
}

/** The ports of all containers, also those without a host port. */
function hostPorts(pod: Pod): PortMapping[] {
  if (pod.spec?.hostNetwork === true) return [];
  return longRunningContainers(pod.spec).flatMap(({ ports = [] }) =>
    ports.map(({ protocol = 'TCP', containerPort, hostPort = 0, hostIP = '' }) => ({
      protocol: protocol as PortMapping['protocol'],
      containerPort,
      hostPort,
      hostIp: hostIP,
    })),
  );
}

/** `/var/log/pods/namespace_name_uid`. */
export const podLogDirectory = (logs: string, { metadata: { name, namespace, uid } }: Pod): string =>
  path.join(logs, `${namespace}_${name}_${uid}`);
