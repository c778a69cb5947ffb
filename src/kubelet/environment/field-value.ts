/** The downward API: values of fieldRef and resourceFieldRef. */
import type { Container, EphemeralContainer, Pod, ResourceFieldSelector } from '../../api/generated/core-v1.ts';
import { ownValue, parseQuantity, Quantity } from '../../base/index.ts';

export interface PodFacts {
  readonly pod: Pod;
  readonly nodeName: string;
  readonly hostIPs: readonly string[];
  readonly podIPs: readonly string[];
  /** The limits of a container that has none of its own. */
  readonly allocatable: Readonly<Record<string, string>>;
}

export class DownwardApiError extends Error {
  override readonly name = 'DownwardApiError';
  readonly code = 'downward-api';
}

/** The value of a fieldRef in an environment variable. */
export function envFieldValue(path: string, facts: PodFacts): string {
  const { pod, nodeName, hostIPs, podIPs } = facts;
  switch (path) {
    case 'spec.nodeName':
      return pod.spec?.nodeName ?? nodeName;
    case 'spec.serviceAccountName':
      return pod.spec?.serviceAccountName ?? '';
    case 'status.hostIP':
      return hostIPs[0] ?? '';
    case 'status.hostIPs':
      return hostIPs.join(',');
    case 'status.podIP':
      return podIPs[0] ?? '';
    case 'status.podIPs':
      return podIPs.join(',');
    default:
      return fieldValue(path, pod);
  }
}

/** The value of a fieldRef in a downwardAPI volume. */
export function fieldValue(path: string, pod: Pod): string {
  const { metadata } = pod;
  const subscript = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/.exec(path);
  if (subscript)
    return (subscript[1] === 'metadata.labels' ? metadata.labels : metadata.annotations)?.[subscript[2] ?? ''] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
      return formatMap(metadata.labels);
    case 'metadata.annotations':
      return formatMap(metadata.annotations);
    default:
      throw new DownwardApiError(`unsupported fieldPath: ${path}`);
  }
}

const formatMap = (map: Readonly<Record<string, string>> = {}): string =>
  Object.entries(map)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');

export function resourceFieldValue(
  { resource, divisor }: ResourceFieldSelector,
  container: Container | EphemeralContainer,
  facts: PodFacts,
): string {
  const match = /^(limits|requests)\.(.+)$/.exec(resource);
  const [, kind = '', name = ''] = match ?? [];
  const isKnown = ['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-');
  if (!match || !isKnown) throw new DownwardApiError(`unsupported container resource : ${resource}`);
  const asked =
    kind === 'limits'
      ? ownValue(container.resources?.limits, name)
      : (ownValue(container.resources?.requests, name) ?? ownValue(container.resources?.limits, name));
  const quantity = asked ?? (kind === 'limits' ? (facts.allocatable[name] ?? '0') : '0');
  return divide(parseQuantity(quantity), parseQuantity(divisor ?? '0'), name);
}

/** Rounds up: 1500m with the divisor 1 is 2. */
function divide(value: Quantity, divisor: Quantity, name: string): string {
  const by = divisor.isZero() ? Quantity.of(1) : divisor;
  if (name === 'cpu') return String(Math.ceil(value.milliValue() / by.milliValue()));
  return String(Math.ceil(value.value() / by.value()));
}
