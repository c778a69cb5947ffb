/**
 * Prints a pod's spec as upstream's internal struct, one field per line, for diffs in messages. The internal struct
 * has the host namespaces in the security context and another order of fields.
 */
import type { EphemeralContainer, PodSpec } from '../../../../api/generated/core-v1.ts';
import { goStructObject } from '../../go-struct.ts';
import { unifiedDiff } from '../../unified-diff.ts';

const HOST_FIELDS = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'] as const;

export function internalPodSpecDiff(before: PodSpec, after: PodSpec): string {
  return unifiedDiff(pretty(internalPodSpec(before)), pretty(internalPodSpec(after)));
}

export function ephemeralContainerDiff(before: EphemeralContainer, after: EphemeralContainer): string {
  const name = 'io.k8s.api.core.v1.EphemeralContainer';
  return unifiedDiff(pretty(goStructObject(name, before)), pretty(goStructObject(name, after)));
}

export const pretty = (value: unknown): string =>
  JSON.stringify(value, null, 1).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** In the order of the internal struct. */
const POD_SPEC_FIELDS = [
  'Volumes',
  'InitContainers',
  'Containers',
  'EphemeralContainers',
  'RestartPolicy',
  'TerminationGracePeriodSeconds',
  'ActiveDeadlineSeconds',
  'DNSPolicy',
  'NodeSelector',
  'ServiceAccountName',
  'AutomountServiceAccountToken',
  'NodeName',
  'SecurityContext',
  'ImagePullSecrets',
  'Hostname',
  'Subdomain',
  'SetHostnameAsFQDN',
  'Affinity',
  'SchedulerName',
  'Tolerations',
  'HostAliases',
  'PriorityClassName',
  'Priority',
  'PreemptionPolicy',
  'DNSConfig',
  'ReadinessGates',
  'RuntimeClassName',
  'Overhead',
  'EnableServiceLinks',
  'TopologySpreadConstraints',
  'OS',
  'SchedulingGates',
  'ResourceClaims',
  'Resources',
  'HostnameOverride',
  'SchedulingGroup',
];

const SECURITY_CONTEXT_FIELDS = [
  'HostNetwork',
  'HostPID',
  'HostIPC',
  'ShareProcessNamespace',
  'HostUsers',
  'SELinuxOptions',
  'WindowsOptions',
  'RunAsUser',
  'RunAsGroup',
  'RunAsNonRoot',
  'SupplementalGroups',
  'SupplementalGroupsPolicy',
  'FSGroup',
  'FSGroupChangePolicy',
  'Sysctls',
  'SeccompProfile',
  'AppArmorProfile',
  'SELinuxChangePolicy',
];

function internalPodSpec(spec: PodSpec): Record<string, unknown> {
  const struct = goStructObject('io.k8s.api.core.v1.PodSpec', spec);
  const context = goStructObject('io.k8s.api.core.v1.PodSecurityContext', spec.securityContext ?? {});
  for (const name of HOST_FIELDS) {
    const goName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    context[goName] = spec[name] ?? (name.startsWith('host') && name !== 'hostUsers' ? false : null);
  }
  struct['SecurityContext'] = inOrder(context, SECURITY_CONTEXT_FIELDS);
  return inOrder(struct, POD_SPEC_FIELDS);
}

const inOrder = (struct: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(fields.filter((name) => Object.hasOwn(struct, name)).map((name) => [name, struct[name]]));
