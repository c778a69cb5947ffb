/** Validates containers: regular, init, sidecar and ephemeral ones. */
import type {
  Container,
  ContainerResizePolicy,
  ContainerRestartRule,
  EphemeralContainer,
  PodSpec,
  Volume,
} from '../../../../api/generated/core-v1.ts';
import { isRestartableInitContainer } from '../../../../component-helpers/index.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  type Path,
  required,
  tooMany,
} from '../../../errors/index.ts';
import { dns1123Label } from '../../../names/index.ts';
import { validateContainerResources, type RequirementRules } from '../resources.ts';
import { validatePullPolicy } from '../volume/volume-sources-csi.ts';
import { validateEnv, validateEnvFrom } from './container-env.ts';
import { validateContainerPorts, validateHostPortConflicts } from './container-ports.ts';
import { validateProbesAndLifecycle, type HandlerRules } from './handlers.ts';
import { type AnyContainer } from './pod-containers.ts';
import type { PodRules } from './pod-rules.ts';
import { validateSecurityContext } from './security-context.ts';
import { validateVolumeDevices, validateVolumeMounts } from './volume-mounts.ts';

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];
const RESTART_ACTIONS = ['Restart', 'RestartAllContainers'];
const EXIT_CODE_OPERATORS = ['In', 'NotIn'];
const RESIZABLE = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];
const MAX_RESTART_RULES = 20;
const MAX_EXIT_CODES = 255;

/** What the validation of a container needs from its pod. */
interface ContainerRules extends RequirementRules, HandlerRules {
  readonly pod: PodRules;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly restartPolicy: string;
  readonly hostUsers: boolean;
  readonly allowPrivileged: boolean;
}

export function containerRules(spec: PodSpec, volumes: ReadonlyMap<string, Volume>, pod: PodRules): ContainerRules {
  return {
    pod,
    volumes,
    claimNames: new Set(spec.resourceClaims?.map(({ name }) => name).filter((name) => name !== '')),
    allowIndivisibleHugePages: pod.allowIndivisibleHugePages,
    gracePeriod: spec.terminationGracePeriodSeconds,
    os: spec.os?.name ?? '',
    restartPolicy: spec.restartPolicy ?? '',
    hostUsers: spec.hostUsers ?? true,
    allowPrivileged: pod.allowPrivileged,
  };
}

export function validateContainers(
  errors: FieldError[],
  containers: readonly Container[],
  at: Path,
  rules: ContainerRules,
): void {
  if (containers.length === 0) {
    errors.push(required(at));
    return;
  }
  const names = new Set<string>();
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i]!;
    const here = at.index(i);
    validateContainerCommon(errors, container, here, rules);
    if (names.has(container.name)) errors.push(duplicate(here.child('name'), container.name));
    names.add(container.name);
    validateProbesAndLifecycle(errors, container, here, rules);
    validateRestartPolicy(errors, container, here);
  }
  validateHostPortConflicts(errors, containers, at);
}

export function validateInitContainers(errors: FieldError[], spec: PodSpec, at: Path, rules: ContainerRules): void {
  const names = new Set(spec.containers?.map(({ name }) => name));
  for (const [i, container] of (spec.initContainers ?? []).entries()) {
    const here = at.index(i);
    validateContainerCommon(errors, container, here, rules);
    validateInitRestartPolicy(errors, container, here);
    if (names.has(container.name)) errors.push(duplicate(here.child('name'), container.name));
    else if (container.name) names.add(container.name);
    // Init containers run one after the other and may use the same ports.
    validateHostPortConflicts(errors, [container], at);
    if (isRestartableInitContainer(container)) validateProbesAndLifecycle(errors, container, here, rules);
    else {
      validateNoHandlers(errors, container, here);
      if (!rules.pod.allowRestartContainerOfInit) validateInitResizePolicy(errors, container, here);
    }
  }
}

/** An init container that has ended cannot be restarted to resize it. */
function validateInitResizePolicy(errors: FieldError[], { resizePolicy = [] }: Container, at: Path): void {
  const message = "must not be set to 'RestartContainer' for non-sidecar initContainers";
  for (const [i, { restartPolicy }] of resizePolicy.entries()) {
    if (restartPolicy === 'RestartContainer')
      errors.push(invalidValue(at.child('resizePolicy').index(i).child('restartPolicy'), restartPolicy, message));
  }
}

/** Rules without a policy are not looked at. */
function validateInitRestartPolicy(errors: FieldError[], container: Container, at: Path): void {
  if (container.restartPolicy !== undefined) validateRestartPolicy(errors, container, at);
  else if (container.restartPolicyRules?.length) errors.push(restartPolicyRequired(at));
}

const restartPolicyRequired = (at: Path): FieldError =>
  required(at.child('restartPolicy'), 'must specify restartPolicy when restart rules are used');

function validateNoHandlers(errors: FieldError[], container: Container, at: Path): void {
  for (const name of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    if (container[name])
      errors.push(forbiddenField(at.child(name), 'may not be set for init containers without restartPolicy=Always'));
  }
}

const EPHEMERAL_FORBIDDEN = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;
const FORBIDDEN_TO_EPHEMERAL = 'cannot be set for an Ephemeral Container';

export function validateEphemeralContainers(
  errors: FieldError[],
  spec: PodSpec,
  at: Path,
  rules: ContainerRules,
): void {
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  for (const [i, container] of (spec.ephemeralContainers ?? []).entries()) {
    const here = at.index(i);
    validateContainerCommon(errors, container, here, rules);
    validateImageWhitespace(errors, container.image, here);
    const { name = '' } = container;
    if (names.has(name)) errors.push(duplicate(here.child('name'), name));
    names.add(name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) errors.push(notFoundValue(here.child('targetContainerName'), target));
    validateEphemeralFields(errors, container, here);
  }
}

/** Ephemeral containers must not have ports, probes, resources and other fields. */
function validateEphemeralFields(errors: FieldError[], container: EphemeralContainer, at: Path): void {
  for (const name of EPHEMERAL_FORBIDDEN) {
    const value = container[name];
    const set = name === 'resources' ? Object.keys(value ?? {}).length > 0 : value !== undefined && value !== null;
    if (set) errors.push(forbiddenField(at.child(name), FORBIDDEN_TO_EPHEMERAL));
  }
  for (const [i, mount] of (container.volumeMounts ?? []).entries()) {
    const here = at.child('volumeMounts').index(i);
    if (mount.subPath) errors.push(forbiddenField(here.child('subPath'), FORBIDDEN_TO_EPHEMERAL));
    if (mount.subPathExpr) errors.push(forbiddenField(here.child('subPathExpr'), FORBIDDEN_TO_EPHEMERAL));
  }
}

function validateContainerCommon(errors: FieldError[], container: AnyContainer, at: Path, rules: ContainerRules): void {
  if (!container.name) errors.push(required(at.child('name')));
  else
    for (const message of dns1123Label(container.name))
      errors.push(invalidValue(at.child('name'), container.name, message));
  // As upstream, whitespace in images of templates is accepted, because some platforms replace the image later.
  if (!container.image) errors.push(required(at.child('image')));
  const policy = container.terminationMessagePolicy;
  if (!policy) errors.push(required(at.child('terminationMessagePolicy')));
  else if (!MESSAGE_POLICIES.includes(policy))
    errors.push(notSupported(at.child('terminationMessagePolicy'), policy, MESSAGE_POLICIES));

  if (container.ports) validateContainerPorts(errors, container.ports, at.child('ports'));
  if (container.env) validateEnv(errors, container.env, at.child('env'));
  if (container.envFrom) validateEnvFrom(errors, container.envFrom, at.child('envFrom'));
  if (container.volumeMounts) validateVolumeMounts(errors, container, rules.volumes, at.child('volumeMounts'));
  if (container.volumeDevices) validateVolumeDevices(errors, container, rules.volumes, at.child('volumeDevices'));
  validatePullPolicy(errors, container.imagePullPolicy, at.child('imagePullPolicy'));
  if (container.resources) validateContainerResources(errors, container.resources, at.child('resources'), rules);
  if (container.resizePolicy)
    validateResizePolicy(errors, container.resizePolicy, at.child('resizePolicy'), rules.restartPolicy);
  if (container.securityContext)
    validateSecurityContext(errors, container.securityContext, at.child('securityContext'), rules);
}

function validateResizePolicy(
  errors: FieldError[],
  policies: readonly ContainerResizePolicy[],
  at: Path,
  podRestartPolicy: string,
): void {
  const seen = new Set<string>();
  for (const [i, { resourceName = '', restartPolicy = '' }] of policies.entries()) {
    if (seen.has(resourceName)) errors.push(duplicate(at.index(i), resourceName));
    seen.add(resourceName);
    validateRequiredOneOf(errors, resourceName, RESIZABLE, at);
    validateRequiredOneOf(errors, restartPolicy, RESIZE_POLICIES, at);
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.push(invalidValue(at, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
  }
}

function validateRequiredOneOf(errors: FieldError[], value: string, supported: readonly string[], at: Path): void {
  if (value === '') errors.push(required(at));
  else if (!supported.includes(value)) errors.push(notSupported(at, value, supported));
}

function validateRestartPolicy(
  errors: FieldError[],
  { restartPolicy, restartPolicyRules: rules = [] }: Container,
  at: Path,
): void {
  if (restartPolicy !== undefined) {
    if (!RESTART_POLICIES.includes(restartPolicy))
      errors.push(notSupported(at.child('restartPolicy'), restartPolicy, RESTART_POLICIES));
  } else if (rules.length > 0) {
    errors.push(restartPolicyRequired(at));
  }
  if (rules.length > MAX_RESTART_RULES)
    errors.push(tooMany(at.child('restartPolicyRules'), rules.length, MAX_RESTART_RULES));
  for (const [i, rule] of rules.entries()) validateRestartRule(errors, rule, at.child('restartPolicyRules').index(i));
}

function validateRestartRule(errors: FieldError[], { action = '', exitCodes }: ContainerRestartRule, at: Path): void {
  if (!RESTART_ACTIONS.includes(action)) errors.push(notSupported(at.child('action'), action, RESTART_ACTIONS));
  if (!exitCodes) {
    errors.push(required(at.child('exitCodes'), 'must be specified'));
    return;
  }
  const { operator = '', values = [] } = exitCodes;
  const here = at.child('exitCodes');
  if (!EXIT_CODE_OPERATORS.includes(operator))
    errors.push(notSupported(here.child('operator'), operator, EXIT_CODE_OPERATORS));
  if (values.length > MAX_EXIT_CODES) errors.push(tooMany(here.child('values'), values.length, MAX_EXIT_CODES));
}

/** For pods only, not for templates. */
export function validateImageWhitespace(errors: FieldError[], image: string | undefined, at: Path): void {
  if (image !== undefined && image.trim().length !== image.length) {
    errors.push(invalidValue(at.child('image'), image, 'must not have leading or trailing whitespace'));
  }
}
