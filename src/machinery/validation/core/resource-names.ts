/** Classes of resource names: standard, native, extended, hugepages. */
import { qualifiedName } from '../../names/index.ts';
import { isWholeQuantity, quantityOf, quantityOrUndefined } from '../quantities.ts';

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage']);

const COUNTED_OBJECTS = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];

const QUOTA_RESOURCES = new Set([
  ...CONTAINER_RESOURCES,
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  ...COUNTED_OBJECTS,
]);

const STANDARD_RESOURCES = new Set([...QUOTA_RESOURCES, 'storage']);
const INTEGER_RESOURCES = new Set(COUNTED_OBJECTS);

export const isHugePageResource = (name: string): boolean => name.startsWith('hugepages-');

const isQuotaHugePageResource = (name: string): boolean =>
  isHugePageResource(name) || name.startsWith('requests.hugepages-');

export const isStandardResource = (name: string): boolean =>
  STANDARD_RESOURCES.has(name) || isQuotaHugePageResource(name);

export const isStandardContainerResource = (name: string): boolean =>
  CONTAINER_RESOURCES.has(name) || isHugePageResource(name);

export const isStandardQuotaResource = (name: string): boolean =>
  QUOTA_RESOURCES.has(name) || isQuotaHugePageResource(name);

/** Names without a domain or with kubernetes.io/. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Extended resources have a domain other than kubernetes.io, and a name that quotas can have. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0;

/** Native resources except hugepages may have requests below their limits. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePageResource(name);

export const isIntegerResource = (name: string): boolean => INTEGER_RESOURCES.has(name) || isExtendedResource(name);

/** Whether the quantity is a multiple of the page size in the resource's name. */
export function isWholeHugePages(name: string, quantity: string): boolean {
  const size = quantityOrUndefined(name.slice('hugepages-'.length));
  if (!size || size.sign() <= 0 || !isWholeQuantity(size.toString())) return false;
  return quantityOf(quantity).scaledValue(0) % size.scaledValue(0) === 0n;
}
