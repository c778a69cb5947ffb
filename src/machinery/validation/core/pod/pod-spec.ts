/** Validates the spec of pods and pod templates. */
import type { LocalObjectReference, PodSchedulingGate, PodSpec, Volume } from '../../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../../api/generated/meta-v1.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
  tooLong,
} from '../../../errors/index.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  nameIsDnsSubdomain,
  qualifiedName,
  rangeMessage,
  utf8Longer,
} from '../../../names/index.ts';
import { validateLabels } from '../../label-selector.ts';
import { validateContainerResources } from '../resources.ts';
import { validateVolumes } from '../volume/volumes.ts';
import { validateAffinity } from './affinity.ts';
import { validateFileKeyVolumes } from './container-env.ts';
import { validateHostNetworkPorts } from './container-ports.ts';
import {
  containerRules,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './containers.ts';
import { validateDnsConfig, validateHostAliases } from './dns-config.ts';
import { eachContainer } from './pod-containers.ts';
import { validatePodResourceClaims, validatePodResources } from './pod-resources.ts';
import type { PodRules } from './pod-rules.ts';
import { validatePodSecurityContext } from './security-context.ts';
import { validateTolerations } from './tolerations.ts';
import { validateTopologySpreadConstraints } from './topology-spread.ts';
import { validateHostProcess, validateOs } from './windows-security.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const MAX_INT32 = 2 ** 31 - 1;
const HOSTNAME_MAX = 64;

interface PodSpecRules {
  readonly pod: PodRules;
  /** The pod's own metadata; absent for a template. */
  readonly metadata?: ObjectMeta;
}

export function validatePodSpec(errors: FieldError[], spec: PodSpec, at: Path, { pod, metadata }: PodSpecRules): void {
  if (spec.terminationGracePeriodSeconds === undefined)
    errors.push(required(at.child('terminationGracePeriodSeconds')));

  const volumes = validateVolumes(errors, spec.volumes ?? [], at.child('volumes'), { pod, metadata });
  if (spec.resourceClaims) validatePodResourceClaims(errors, spec.resourceClaims, at.child('resourceClaims'));
  const rules = containerRules(spec, volumes, pod);
  validateContainers(errors, spec.containers ?? [], at.child('containers'), rules);
  if (spec.initContainers) validateInitContainers(errors, spec, at.child('initContainers'), rules);
  if (spec.ephemeralContainers) validateEphemeralContainers(errors, spec, at.child('ephemeralContainers'), rules);
  if (spec.resources) validatePodResources(errors, spec, at.child('resources'), rules);
  if (spec.hostNetwork)
    validateHostNetworkPorts(errors, spec.containers ?? [], at.child('containers'), pod.resourceIsPod);
  validateRequiredOneOf(errors, spec.restartPolicy, RESTART_POLICIES, at.child('restartPolicy'));
  validateRequiredOneOf(errors, spec.dnsPolicy, DNS_POLICIES, at.child('dnsPolicy'));
  if (spec.nodeSelector) validateLabels(errors, spec.nodeSelector, at.child('nodeSelector'));
  validatePodSecurityContext(errors, spec, at.child('securityContext'), pod);
  if (spec.imagePullSecrets) validateImagePullSecrets(errors, spec.imagePullSecrets, at.child('imagePullSecrets'));
  if (spec.affinity) validateAffinity(errors, spec.affinity, at.child('affinity'), pod);
  validateDnsConfig(errors, spec.dnsConfig, at.child('dnsConfig'), spec.dnsPolicy ?? '');
  validateGates(errors, spec, at);
  if (spec.topologySpreadConstraints) {
    validateTopologySpreadConstraints(
      errors,
      spec.topologySpreadConstraints,
      at.child('topologySpreadConstraints'),
      pod,
    );
  }
  validateHostProcess(errors, spec, at, pod.allowPrivileged);
  if (spec.hostUsers === false) validateUserNamespace(errors, spec, at, pod);
  validateFileKeys(errors, spec, at, volumes);
  validateNamesAndNumbers(errors, spec, at);
  if (spec.preemptionPolicy !== undefined) {
    validateRequiredOneOf(errors, spec.preemptionPolicy, PREEMPTION_POLICIES, at.child('preemptionPolicy'));
  }
  if (spec.overhead) validateContainerResources(errors, { limits: spec.overhead }, at.child('overhead'), rules);
  if (spec.os) validateOs(errors, spec, at);
}

function validateRequiredOneOf(
  errors: FieldError[],
  value: string | undefined,
  supported: readonly string[],
  at: Path,
): void {
  if (!value) errors.push(required(at));
  else if (!supported.includes(value)) errors.push(notSupported(at, value, supported));
}

function validateImagePullSecrets(errors: FieldError[], secrets: readonly LocalObjectReference[], at: Path): void {
  for (const [i, secret] of secrets.entries()) {
    if (Object.keys(secret).some((name) => name !== 'name'))
      errors.push(invalidValue(at.index(i), secret, 'only name may be set'));
  }
}

function validateGates(errors: FieldError[], { readinessGates = [], schedulingGates = [] }: PodSpec, at: Path): void {
  for (const [i, { conditionType = '' }] of readinessGates.entries()) {
    const here = at.child('readinessGates').index(i).child('conditionType');
    for (const message of qualifiedName(conditionType)) errors.push(invalidValue(here, conditionType, message));
  }
  validateSchedulingGates(errors, schedulingGates, at.child('schedulingGates'));
}

function validateSchedulingGates(errors: FieldError[], gates: readonly PodSchedulingGate[], at: Path): void {
  const seen = new Set<string>();
  for (const [i, { name = '' }] of gates.entries()) {
    for (const message of qualifiedName(name)) errors.push(invalidValue(at.index(i), name, message));
    if (seen.has(name)) errors.push(duplicate(at.index(i), name));
    seen.add(name);
  }
}

/** With hostUsers false, a pod must not use the host namespaces, nor block devices, which are not id-mapped. */
function validateUserNamespace(errors: FieldError[], spec: PodSpec, at: Path, rules: PodRules): void {
  const why = 'when `hostUsers` is false';
  if (spec.hostNetwork && !rules.allowUserNamespaceWithHostNetwork)
    errors.push(forbiddenField(at.child('hostNetwork'), why));
  if (spec.hostPID) errors.push(forbiddenField(at.child('HostPID'), why));
  if (spec.hostIPC) errors.push(forbiddenField(at.child('HostIPC'), why));
  if (rules.allowUserNamespaceWithVolumeDevices) return;
  eachContainer(spec, ({ volumeDevices = [] }, where) => {
    if (volumeDevices.length > 0) errors.push(forbiddenField(where(at).child('volumeDevices'), why));
  });
}

function validateFileKeys(errors: FieldError[], spec: PodSpec, at: Path, volumes: ReadonlyMap<string, Volume>): void {
  eachContainer(spec, (container, where) => {
    if (container.env?.some(({ valueFrom }) => valueFrom?.fileKeyRef)) {
      validateFileKeyVolumes(errors, container.env, where(at).child('env'), volumes);
    }
  });
}

function validateNamesAndNumbers(errors: FieldError[], spec: PodSpec, at: Path): void {
  validateSubdomain(errors, spec.serviceAccountName, at, 'serviceAccountName');
  validateSubdomain(errors, spec.nodeName, at, 'nodeName');
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    errors.push(invalidValue(at.child('activeDeadlineSeconds'), deadline, rangeMessage(1, MAX_INT32)));
  }
  for (const name of ['hostname', 'subdomain'] as const) {
    const label = spec[name];
    if (label) for (const message of dns1123Label(label)) errors.push(invalidValue(at.child(name), label, message));
  }
  if (spec.hostnameOverride !== undefined) validateHostnameOverride(errors, spec, at);
  if (spec.tolerations) validateTolerations(errors, spec.tolerations, at.child('tolerations'));
  if (spec.hostAliases) validateHostAliases(errors, spec.hostAliases, at.child('hostAliases'));
  validateSubdomain(errors, spec.priorityClassName, at, 'priorityClassName');
  if (spec.runtimeClassName !== undefined) {
    for (const message of nameIsDnsSubdomain(spec.runtimeClassName)) {
      errors.push(invalidValue(at.child('runtimeClassName'), spec.runtimeClassName, message));
    }
  }
  const group = spec.schedulingGroup?.podGroupName;
  if (group !== undefined) {
    for (const message of dns1123Subdomain(group))
      errors.push(invalidValue(at.child('schedulingGroup', 'podGroupName'), group, message));
  }
}

function validateSubdomain(errors: FieldError[], value: string | undefined, at: Path, name: string): void {
  if (value) for (const message of nameIsDnsSubdomain(value)) errors.push(invalidValue(at.child(name), value, message));
}

function validateHostnameOverride(errors: FieldError[], spec: PodSpec, at: Path): void {
  const hostname = spec.hostnameOverride!;
  const here = at.child('hostnameOverride');
  if (spec.setHostnameAsFQDN) errors.push(forbiddenField(here, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec.hostNetwork) errors.push(forbiddenField(here, 'may not be specified when hostNetwork is true'));
  if (utf8Longer(hostname, HOSTNAME_MAX)) errors.push(tooLong(here, HOSTNAME_MAX));
  for (const message of dns1123Subdomain(hostname)) errors.push(invalidValue(here, hostname, message));
}
