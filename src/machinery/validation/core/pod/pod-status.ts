/** Validates updates of pod status. */
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from '../../../../api/generated/core-v1.ts';
import { parseIp, ownValue } from '../../../../base/index.ts';
import { mayRestartAllContainers, restartsAfter } from '../../../../component-helpers/index.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../../errors/index.ts';
import { dns1123Label, groupId, nameIsDnsSubdomain, qualifiedName, userId } from '../../../names/index.ts';
import { goStruct, goStructs } from '../../go-struct.ts';
import { checkLegacyIp } from '../../ip.ts';
import type { ValidationContext } from '../../kind-validation.ts';
import { validateImmutable, validateObjectMetaUpdate } from '../../object-meta.ts';
import { podRules } from './pod-allowances.ts';
import { validatePodAnnotationsUpdate } from './pod-annotations.ts';
import { NO_SPEC } from './pod-metadata-and-spec.ts';

const STATUS = path('status');
const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];
const GENERATION_MESSAGE = 'must be a non-negative integer';

export function podStatusUpdate(errors: FieldError[], pod: Pod, old: Pod, context: ValidationContext): void {
  const { spec = NO_SPEC, status = {} } = pod;
  const { spec: oldSpec = NO_SPEC, status: before = {} } = old;
  const { allowInvalidDeletionCost } = podRules(context, old);
  validateObjectMetaUpdate(errors, pod.metadata ?? {}, old.metadata ?? {});
  validatePodAnnotationsUpdate(errors, pod, old, { spec, allowInvalidDeletionCost });
  validateConditions(errors, status);
  if ((spec.nodeName ?? '') !== (oldSpec.nodeName ?? ''))
    errors.push(forbiddenField(STATUS.child('nodeName'), 'may not be changed directly'));
  const nominated = status.nominatedNodeName;
  if (nominated && nominated !== before.nominatedNodeName) {
    for (const message of nameIsDnsSubdomain(nominated))
      errors.push(invalidValue(STATUS.child('nominatedNodeName'), nominated, message));
    if (oldSpec.nodeName) {
      const message = 'may not be set on pods that are already bound to a node';
      errors.push(forbiddenField(STATUS.child('nominatedNodeName'), message));
    }
  }
  if ((status.observedGeneration ?? 0) < 0) {
    errors.push(invalidValue(STATUS.child('observedGeneration'), status.observedGeneration, GENERATION_MESSAGE));
  }
  validateImmutable(errors, status.qosClass ?? '', before.qosClass ?? '', STATUS.child('qosClass'));
  validateTransitions(errors, status, before, oldSpec);
  validateClaimStatuses(errors, status, spec);
  validateExtendedClaim(errors, status, spec);
  validatePodIps(errors, status, before);
  validateHostIps(errors, status, before);
  validateContainerStatuses(errors, status, spec);
}

function validateConditions(errors: FieldError[], { conditions = [] }: PodStatus): void {
  for (const [i, { type = '', observedGeneration = 0 }] of conditions.entries()) {
    const here = STATUS.child('conditions').index(i);
    if (observedGeneration < 0)
      errors.push(invalidValue(here.child('observedGeneration'), observedGeneration, GENERATION_MESSAGE));
    if (SYSTEM_CONDITIONS.includes(type)) continue;
    for (const message of qualifiedName(type)) errors.push(invalidValue(here.child('Type'), type, message));
  }
}

/** A terminated container that is not restarted must stay terminated. */
function validateTransitions(errors: FieldError[], status: PodStatus, before: PodStatus, spec: PodSpec): void {
  const ofContainers = (
    name: 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses',
    containers: readonly Container[],
  ): void => {
    for (const [i, old] of (before[name] ?? []).entries()) {
      const ended = old.state?.terminated;
      if (!ended) continue;
      const next = status[name]?.find((one) => one.name === old.name && !one.state?.terminated);
      const container = containers.find((one) => one.name === old.name);
      if (next && !(container && restartsAfter(container, spec, ended.exitCode ?? 0)))
        errors.push(
          forbiddenField(STATUS.child(name).index(i).child('state'), 'may not be transitioned to non-terminated state'),
        );
    }
  };
  if (!mayRestartAllContainers(spec)) {
    ofContainers('containerStatuses', spec.containers ?? []);
    ofContainers('initContainerStatuses', spec.initContainers ?? []);
  }
  // They are never restarted.
  ofContainers('ephemeralContainerStatuses', []);
}

function validateClaimStatuses(errors: FieldError[], { resourceClaimStatuses = [] }: PodStatus, spec: PodSpec): void {
  const seen = new Set<string>();
  for (const [i, { name, resourceClaimName }] of resourceClaimStatuses.entries()) {
    const at = STATUS.child('resourceClaimStatuses').index(i);
    const here = at.child('name');
    if (!spec.resourceClaims?.some((claim) => claim.name === name)) {
      errors.push(invalidValue(here, name, 'must match the name of an entry in `spec.resourceClaims`'));
    }
    if (seen.has(name)) errors.push(duplicate(here, name));
    seen.add(name);
    if (resourceClaimName === undefined) continue;
    for (const message of nameIsDnsSubdomain(resourceClaimName))
      errors.push(invalidValue(at.child('resourceClaimName'), resourceClaimName, message));
  }
}

/** The claim that the scheduler created for extended resources. */
function validateExtendedClaim(
  errors: FieldError[],
  { extendedResourceClaimStatus: claim }: PodStatus,
  spec: PodSpec,
): void {
  if (!claim) return;
  const here = STATUS.child('extendedResourceClaimStatus');
  const known = new Map(
    [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map((container) => [container.name, container]),
  );
  const seen = new Set<string>();
  const mappings = here.child('requestMappings');
  if (!claim.requestMappings?.length) errors.push(required(mappings, 'at least one request mapping is required'));
  for (const [i, mapping] of (claim.requestMappings ?? []).entries()) {
    const { containerName = '', resourceName = '', requestName = '' } = mapping;
    const at = mappings.index(i);
    const container = known.get(containerName);
    if (!container) {
      const message = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
      errors.push(invalidValue(at.child('containerName'), containerName, message));
    } else if (ownValue(container.resources?.requests, resourceName) === undefined) {
      const places = 'spec.initContainers.resources.requests or spec.containers.resources.requests';
      const message = `must match the extended resource name of an entry in ${places}`;
      errors.push(invalidValue(at.child('resourceName'), resourceName, message));
    }
    // Upstream's path.
    for (const message of dns1123Label(requestName))
      errors.push(invalidValue(here.child('requestName'), requestName, message));
    const key = `${containerName}\n${resourceName}\n${requestName}`;
    if (seen.has(key)) {
      errors.push(duplicate(at.child('containerName'), containerName));
      errors.push(duplicate(at.child('resourceName'), resourceName));
      errors.push(duplicate(at.child('requestName'), requestName));
    }
    seen.add(key);
  }
  const { resourceClaimName: name = '' } = claim;
  if (name === '') {
    errors.push(required(here.child('resourceClaimName')));
    return;
  }
  for (const message of nameIsDnsSubdomain(name))
    errors.push(invalidValue(here.child('resourceClaimName'), name, message));
}

const ONE_PER_FAMILY = 'may specify no more than one IP for each IP family';

/** One address, or two of different families. */
const isDualStack = (addresses: readonly string[]): boolean => {
  const families = new Set(addresses.map((address) => parseIp(address)?.family));
  return addresses.length === 2 && families.has(4) && families.has(6);
};

function validatePodIps(errors: FieldError[], { podIPs = [] }: PodStatus, before: PodStatus): void {
  const here = STATUS.child('podIPs');
  const stored = before.podIPs?.map(({ ip }) => ip) ?? [];
  for (const [i, { ip = '' }] of podIPs.entries())
    checkLegacyIp(errors, ip, here.index(i), { strict: !stored.includes(ip) });
  if (podIPs.length > 1 && !isDualStack(podIPs.map(({ ip }) => ip))) {
    errors.push(invalidValue(here, goStructs('io.k8s.api.core.v1.PodIP', podIPs), ONE_PER_FAMILY));
  }
}

function validateHostIps(errors: FieldError[], { hostIP = '', hostIPs = [] }: PodStatus, before: PodStatus): void {
  if (hostIPs.length === 0) return;
  const here = STATUS.child('hostIPs');
  const stored = before.hostIPs?.map(({ ip }) => ip) ?? [];
  if (hostIP !== hostIPs[0]!.ip)
    errors.push(invalidValue(here.index(0).child('ip'), hostIPs[0]!.ip, 'must be equal to `hostIP`'));
  for (const [i, { ip = '' }] of hostIPs.entries())
    checkLegacyIp(errors, ip, here.index(i), { strict: !stored.includes(ip) });
  if (hostIPs.length < 2) return;
  const seen = new Set<string>();
  for (const [i, host] of hostIPs.entries()) {
    if (seen.has(host.ip)) errors.push(duplicate(here.index(i), goStruct('io.k8s.api.core.v1.HostIP', host)));
    seen.add(host.ip);
  }
  if (!isDualStack(hostIPs.map(({ ip }) => ip))) {
    errors.push(invalidValue(here, goStructs('io.k8s.api.core.v1.HostIP', hostIPs), ONE_PER_FAMILY));
  }
}

const STATUS_LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

function validateContainerStatuses(errors: FieldError[], status: PodStatus, spec: PodSpec): void {
  for (const name of STATUS_LISTS) {
    for (const [i, container] of (status[name] ?? []).entries())
      validateUser(errors, container, STATUS.child(name).index(i), spec.os?.name ?? 'linux');
  }
  validateAllocated(errors, status.containerStatuses ?? [], STATUS.child('containerStatuses'), spec.containers ?? []);
  validateAllocated(
    errors,
    status.initContainerStatuses ?? [],
    STATUS.child('initContainerStatuses'),
    spec.initContainers ?? [],
  );
  for (const [i, { allocatedResourcesStatus }] of (status.ephemeralContainerStatuses ?? []).entries()) {
    if (!allocatedResourcesStatus?.length) continue;
    const here = STATUS.child('ephemeralContainerStatuses').index(i).child('allocatedResourcesStatus');
    errors.push(forbiddenField(here, 'must not be specified in container status'));
  }
}

function validateUser(errors: FieldError[], { user }: ContainerStatus, at: Path, os: string): void {
  const linux = user?.linux;
  if (!linux) return;
  const here = at.child('linux');
  if (os === 'windows') {
    errors.push(forbiddenField(here, 'cannot be set for a windows pod'));
    return;
  }
  for (const message of userId(linux.uid ?? 0)) errors.push(invalidValue(here.child('uid'), linux.uid ?? 0, message));
  for (const message of groupId(linux.gid ?? 0)) errors.push(invalidValue(here.child('gid'), linux.gid ?? 0, message));
  for (const [i, id] of (linux.supplementalGroups ?? []).entries()) {
    for (const message of groupId(id))
      errors.push(invalidValue(here.child('supplementalGroups').index(i), id, message));
  }
}

/** Allocated devices must belong to resources that the container requests. */
function validateAllocated(
  errors: FieldError[],
  statuses: readonly ContainerStatus[],
  at: Path,
  containers: readonly Container[],
): void {
  for (const [i, { name, allocatedResourcesStatus = [] }] of statuses.entries()) {
    const container = containers.find((one) => one.name === name);
    for (const [j, allocated] of allocatedResourcesStatus.entries()) {
      const here = at.index(i).child('allocatedResourcesStatus').index(j);
      const problem = container && allocationProblem(allocated.name, container);
      if (problem) errors.push(invalidValue(here.child('name'), allocated.name, problem));
      const seen = new Set<string>();
      for (const [k, { resourceID, health = '' }] of (allocated.resources ?? []).entries()) {
        const resource = here.child('resources').index(k);
        if (!HEALTH.includes(health)) errors.push(notSupported(resource.child('health'), health, HEALTH));
        if (seen.has(resourceID)) errors.push(duplicate(resource.child('resourceID'), resourceID));
        seen.add(resourceID);
      }
    }
  }
}

function allocationProblem(name: string, { resources }: Container): string | undefined {
  if (!name.startsWith('claim:')) {
    return ownValue(resources?.requests, name) === undefined
      ? "must match one of the container's resource requests"
      : undefined;
  }
  const claimed = resources?.claims?.some(
    (claim) => name === `claim:${claim.name}${claim.request ? `/${claim.request}` : ''}`,
  );
  const format = "in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return claimed ? undefined : `must match one of the container's resource claims ${format}`;
}
