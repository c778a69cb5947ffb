/** The quota usage of one object, by the names that quotas limit. */
import type { PersistentVolumeClaim, Pod, Service } from '../../api/generated/core-v1.ts';
import type { DeviceRequest, ResourceClaim } from '../../api/generated/resource-v1.ts';
import { parseQuantity, Quantity } from '../../base/index.ts';
import { podUsage, type Usage } from './pod-usage.ts';

/** Resources that quotas may also count by their plural alone, without `count/`. */
const COUNTED_BY_PLURAL = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas']);

const POD_NAMES = new Set([
  'pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);
const SERVICE_NAMES = new Set(['services', 'services.nodeports', 'services.loadbalancers']);
const STORAGE_CLASS = '.storageclass.storage.k8s.io/';
const DEVICE_CLASS = '.deviceclass.resource.k8s.io/devices';

/** The devices that allocationMode All counts as: the maximum of a claim. */
const ALL_DEVICES = 32;

const countName = (group: string, plural: string): string =>
  group === '' ? `count/${plural}` : `count/${plural}.${group}`;

/** The names of a quota that objects of a resource count against. */
export function trackedNames(group: string, plural: string, names: Iterable<string>): string[] {
  const count = countName(group, plural);
  return [...names].filter((name) => name === count || isTracked(`${group}/${plural}`, name));
}

function isTracked(resource: string, name: string): boolean {
  switch (resource) {
    case '/pods':
      return (
        POD_NAMES.has(name) ||
        name.startsWith('hugepages-') ||
        (name.startsWith('requests.') && name !== 'requests.storage')
      );
    case '/services':
      return SERVICE_NAMES.has(name);
    case '/persistentvolumeclaims':
      return name === 'persistentvolumeclaims' || name === 'requests.storage' || name.includes(STORAGE_CLASS);
    case 'resource.k8s.io/resourceclaims':
      return name.endsWith(DEVICE_CLASS);
    default:
      return resource.startsWith('/') && COUNTED_BY_PLURAL.has(name) && resource === `/${name}`;
  }
}

/**
 * `object` must be complete for pods, services, persistent volume claims and resource claims. Other objects are only
 * counted.
 */
export function usageOf(group: string, plural: string, object: unknown, now: number): Usage {
  switch (`${group}/${plural}`) {
    case '/pods':
      return podUsage(object as Pod, now);
    case '/services':
      return serviceUsage(object as Service);
    case '/persistentvolumeclaims':
      return volumeClaimUsage(object as PersistentVolumeClaim);
    case 'resource.k8s.io/resourceclaims':
      return resourceClaimUsage(object as ResourceClaim);
    default: {
      const usage: Usage = new Map([[countName(group, plural), Quantity.of(1)]]);
      if (group === '' && COUNTED_BY_PLURAL.has(plural)) usage.set(plural, Quantity.of(1));
      return usage;
    }
  }
}

/** Adds the usage of the names that `total` has. */
export function addUsage(total: Usage, usage: Usage): void {
  for (const [name, quantity] of usage) {
    const known = total.get(name);
    if (known) total.set(name, known.add(quantity));
  }
}

function serviceUsage({ spec = {} }: Service): Usage {
  const { type, ports = [], allocateLoadBalancerNodePorts } = spec;
  const usage: Usage = new Map([
    ['count/services', Quantity.of(1)],
    ['services', Quantity.of(1)],
  ]);
  let nodePorts = 0;
  if (type === 'NodePort') nodePorts = ports.length;
  if (type === 'LoadBalancer') {
    nodePorts = allocateLoadBalancerNodePorts === false ? ports.filter((port) => port.nodePort).length : ports.length;
    usage.set('services.loadbalancers', Quantity.of(1));
  }
  usage.set('services.nodeports', Quantity.of(nodePorts));
  return usage;
}

function volumeClaimUsage({ spec = {}, status, metadata }: PersistentVolumeClaim): Usage {
  const one = Quantity.of(1);
  const usage: Usage = new Map([
    ['count/persistentvolumeclaims', one],
    ['persistentvolumeclaims', one],
  ]);
  const storageClass = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? '';
  if (storageClass !== '') usage.set(`${storageClass}${STORAGE_CLASS}persistentvolumeclaims`, one);
  const requested = spec.resources?.requests?.['storage'];
  if (requested === undefined) return usage;
  let storage = parseQuantity(requested);
  const allocated = status?.allocatedResources?.['storage'];
  if (allocated !== undefined && parseQuantity(allocated).cmp(storage) > 0) storage = parseQuantity(allocated);
  usage.set('requests.storage', storage);
  if (storageClass !== '') usage.set(`${storageClass}${STORAGE_CLASS}requests.storage`, storage);
  return usage;
}

function resourceClaimUsage({ spec }: ResourceClaim): Usage {
  const usage: Usage = new Map([['count/resourceclaims.resource.k8s.io', Quantity.of(1)]]);
  for (const request of spec.devices?.requests ?? []) {
    for (const [name, devices] of devicesOf(request))
      usage.set(name, (usage.get(name) ?? Quantity.zero()).add(Quantity.of(devices)));
  }
  return usage;
}

/** Alternatives count with the maximum of each class, because any of them may be allocated. */
function devicesOf({ exactly, firstAvailable = [] }: DeviceRequest): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { deviceClassName, allocationMode, count } of [...(exactly ? [exactly] : []), ...firstAvailable]) {
    const name = `${deviceClassName}${DEVICE_CLASS}`;
    counts.set(name, Math.max(counts.get(name) ?? 0, allocationMode === 'All' ? ALL_DEVICES : Number(count ?? 1)));
  }
  return counts;
}
