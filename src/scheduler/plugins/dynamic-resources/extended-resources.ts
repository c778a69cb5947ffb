import type { Container, ContainerExtendedResourceRequest, Pod } from '../../../api/generated/core-v1.ts';
import type { DeviceClass, DeviceRequest, ResourceClaim } from '../../../api/generated/resource-v1.ts';
import { ownValue } from '../../../base/index.ts';
import { isRestartableInitContainer } from '../../../component-helpers/index.ts';
/**
 * Extended resources that DeviceClasses provide: a container requests `example.com/gpu: 2` as of a device plugin, and
 * on nodes without that resource the scheduler creates a claim for devices of the class.
 */
import { featureEnabled } from '../../../machinery/index.ts';
import { wholeValue } from '../../cache/quantity-values.ts';
import type { Handle } from '../../framework/handle.ts';

/** The annotation of claims that the scheduler creates for extended resources. */
const EXTENDED_CLAIM = 'resource.kubernetes.io/extended-resource-claim';
/** Every class has an implicit extended resource: this prefix and its name. */
const IMPLICIT_PREFIX = 'deviceclass.resource.kubernetes.io/';

/** Whether a DeviceClass may provide the resource: its domain is not Kubernetes' own, or it is an implicit one. */
function mayBeDevices(resource: string): boolean {
  return (
    resource.startsWith(IMPLICIT_PREFIX) ||
    (resource.includes('/') && !resource.includes('kubernetes.io/') && !resource.startsWith('requests.'))
  );
}

/** The class that provides a resource, the newest of several. */
export function deviceClassOf(resource: string, classes: readonly DeviceClass[]): DeviceClass | undefined {
  if (!mayBeDevices(resource)) return undefined;
  let best: DeviceClass | undefined;
  for (const candidate of classes)
    if (candidate.spec.extendedResourceName === resource && (best === undefined || isNewer(candidate, best)))
      best = candidate;
  return (
    best ??
    (resource.startsWith(IMPLICIT_PREFIX)
      ? classes.find((c) => c.metadata.name === resource.slice(IMPLICIT_PREFIX.length))
      : undefined)
  );
}

/** Whether a class provides the resource. */
export function isBackedByDevices(
  { listers, featureGates }: Pick<Handle, 'listers' | 'featureGates'>,
  resource: string,
): boolean {
  return (
    featureEnabled('DRAExtendedResource', featureGates) &&
    deviceClassOf(resource, listers.list('resource.k8s.io/v1/deviceclasses')) !== undefined
  );
}

function isNewer(a: DeviceClass, b: DeviceClass): boolean {
  const [at, bt] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  return at === bt ? (a.metadata.name ?? '') < (b.metadata.name ?? '') : at > bt;
}

export interface ExtendedRequests {
  readonly requests: readonly DeviceRequest[];
  /** Which container gets the devices of which request. */
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

interface ContainerRequest {
  readonly name: string;
  readonly count: number;
}

/**
 * One request for each container and resource. Init containers use the devices of later containers; there is one more
 * request for the most that an init container needs beyond them.
 */
export function extendedRequests(
  pod: Pod,
  resources: readonly string[],
  classNameOf: (resource: string) => string,
): ExtendedRequests {
  const initial = pod.spec?.initContainers ?? [];
  const containers = [...initial, ...(pod.spec?.containers ?? [])];
  const isInit = (i: number): boolean => i < initial.length && !isRestartableInitContainer(containers[i]!);
  const requests: DeviceRequest[] = [];
  const mappings: ContainerExtendedResourceRequest[] = [];
  for (const resource of [...resources].sort()) {
    const map = (i: number, requestName: string): void =>
      void mappings.push({ containerName: containers[i]!.name, resourceName: resource, requestName });
    const longRunning = containers.map((container, i): ContainerRequest | undefined => {
      const count = isInit(i) ? 0 : amountOf(container, resource);
      return count === 0 ? undefined : { name: requestName(container, i, resource), count };
    });
    longRunning.forEach((request, i) => request && map(i, request.name));
    const { extra, users } = extraForInit(containers, isInit, longRunning, resource);
    for (const { index, names, needsExtra } of users)
      for (const name of needsExtra ? [...names, extra!.name] : names) map(index, name);
    for (const request of [extra, ...longRunning]) {
      if (request !== undefined)
        requests.push({
          name: request.name,
          exactly: { deviceClassName: classNameOf(resource), allocationMode: 'ExactCount', count: request.count },
        });
    }
  }
  return { requests: requests.sort((a, b) => (a.name < b.name ? -1 : 1)), mappings };
}

interface InitUser {
  readonly index: number;
  /** Requests of containers that start later. */
  readonly names: readonly string[];
  readonly needsExtra: boolean;
}

function extraForInit(
  containers: readonly Container[],
  isInit: (i: number) => boolean,
  longRunning: readonly (ContainerRequest | undefined)[],
  resource: string,
): { extra: ContainerRequest | undefined; users: InitUser[] } {
  let extra: ContainerRequest | undefined;
  const users: InitUser[] = [];
  containers.forEach((container, index) => {
    const wanted = isInit(index) ? amountOf(container, resource) : 0;
    if (wanted === 0) return;
    const names: string[] = [];
    let covered = 0;
    for (const later of longRunning.slice(index)) {
      if (later === undefined || covered >= wanted) continue;
      covered += later.count;
      names.push(later.name);
    }
    users.push({ index, names, needsExtra: covered < wanted });
    if (covered < wanted && wanted - covered > (extra?.count ?? 0))
      extra = { name: requestName(container, index, resource), count: wanted - covered };
  });
  return { extra, users };
}

const amountOf = (container: Container, resource: string): number =>
  wholeValue(ownValue(container.resources?.requests, resource) ?? '0');

/** Upstream's name: the index of the container, and of the resource among its requests. */
function requestName(container: Container, index: number, resource: string): string {
  return `container-${index}-request-${Object.keys(container.resources?.requests ?? {})
    .sort()
    .indexOf(resource)}`;
}

/** The claim as it will be created, with the pod as its owner. */
export function extendedClaim(pod: Pod, requests: readonly DeviceRequest[]): ResourceClaim {
  const { namespace, name = '', uid = '' } = pod.metadata;
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      namespace,
      generateName: `${name}-extended-resources-`,
      annotations: { [EXTENDED_CLAIM]: 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
    },
    spec: { devices: { requests: [...requests] } },
  };
}

/** A claim that an earlier attempt created and did not delete. */
export function staleClaimOf(pod: Pod, claims: Iterable<ResourceClaim>): ResourceClaim | undefined {
  for (const claim of claims) {
    if (
      claim.metadata.annotations?.[EXTENDED_CLAIM] === 'true' &&
      claim.metadata.ownerReferences?.some((o) => o.controller && o.uid === pod.metadata.uid)
    )
      return claim;
  }
  return undefined;
}
