/** Validates security contexts of pods and containers. */
import type { PodSpec, SecurityContext } from '../../../../api/generated/core-v1.ts';
import { type FieldError, forbiddenField, invalidValue, notSupported, type Path } from '../../../errors/index.ts';
import { groupId, userId } from '../../../names/index.ts';
import { goStruct } from '../../go-struct.ts';
import type { PodRules } from './pod-rules.ts';
import { validateAppArmorProfile, validateSeccompProfile } from './security-profiles.ts';
import { validateSysctls } from './sysctls.ts';
import { validateWindowsOptions } from './windows-security.ts';

const PROC_MOUNTS = ['Default', 'Unmasked'];
const FS_GROUP_CHANGE_POLICIES = ['Always', 'OnRootMismatch'];
const SUPPLEMENTAL_GROUPS_POLICIES = ['Merge', 'Strict'];
const SELINUX_CHANGE_POLICIES = ['MountOption', 'Recursive'];

function validateUser(
  errors: FieldError[],
  id: number | undefined,
  at: Path,
  name: 'runAsUser' | 'runAsGroup' | 'fsGroup',
): void {
  if (id !== undefined) for (const message of userId(id)) errors.push(invalidValue(at.child(name), id, message));
}

export function validatePodSecurityContext(errors: FieldError[], spec: PodSpec, at: Path, rules: PodRules): void {
  const context = spec.securityContext ?? {};
  validateUser(errors, context.fsGroup, at, 'fsGroup');
  validateUser(errors, context.runAsUser, at, 'runAsUser');
  validateUser(errors, context.runAsGroup, at, 'runAsGroup');
  for (const [i, id] of (context.supplementalGroups ?? []).entries()) {
    for (const message of groupId(id)) errors.push(invalidValue(at.child('supplementalGroups').index(i), id, message));
  }
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.push(
      invalidValue(at.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled'),
    );
  }
  if (context.sysctls) {
    const { allowNamespacedSysctlsOfHost } = rules;
    validateSysctls(errors, context.sysctls, at.child('sysctls'), { spec, allowNamespacedSysctlsOfHost });
  }
  validateOneOf(errors, context.fsGroupChangePolicy, FS_GROUP_CHANGE_POLICIES, at.child('fsGroupChangePolicy'));
  if (context.seccompProfile) validateSeccompProfile(errors, context.seccompProfile, at.child('seccompProfile'));
  if (context.windowsOptions) validateWindowsOptions(errors, context.windowsOptions, at.child('windowsOptions'));
  if (context.appArmorProfile) validateAppArmorProfile(errors, context.appArmorProfile, at.child('appArmorProfile'));
  validateOneOf(
    errors,
    context.supplementalGroupsPolicy,
    SUPPLEMENTAL_GROUPS_POLICIES,
    at.child('supplementalGroupsPolicy'),
  );
  validateOneOf(
    errors,
    context.seLinuxChangePolicy,
    rules.allowAnySelinuxChangePolicy ? SELINUX_CHANGE_POLICIES : ['Recursive'],
    at.child('seLinuxChangePolicy'),
  );
}

function validateOneOf(errors: FieldError[], value: string | undefined, supported: readonly string[], at: Path): void {
  if (value !== undefined && !supported.includes(value)) errors.push(notSupported(at, value, supported));
}

interface ContainerSecurityRules {
  readonly allowPrivileged: boolean;
  /** The pod uses the host's user namespace. */
  readonly hostUsers: boolean;
}

export function validateSecurityContext(
  errors: FieldError[],
  context: SecurityContext,
  at: Path,
  rules: ContainerSecurityRules,
): void {
  if (context.privileged && !rules.allowPrivileged)
    errors.push(forbiddenField(at.child('privileged'), 'disallowed by cluster policy'));
  validateUser(errors, context.runAsUser, at, 'runAsUser');
  validateUser(errors, context.runAsGroup, at, 'runAsGroup');
  validateOneOf(errors, context.procMount, PROC_MOUNTS, at.child('procMount'));
  if (rules.hostUsers && context.procMount === 'Unmasked') {
    errors.push(invalidValue(at.child('procMount'), 'Unmasked', '`hostUsers` must be false to use `Unmasked`'));
  }
  if (context.seccompProfile) validateSeccompProfile(errors, context.seccompProfile, at.child('seccompProfile'));
  if (context.allowPrivilegeEscalation === false) validateNoEscalation(errors, context, at);
  if (context.windowsOptions) validateWindowsOptions(errors, context.windowsOptions, at.child('windowsOptions'));
  if (context.appArmorProfile) validateAppArmorProfile(errors, context.appArmorProfile, at.child('appArmorProfile'));
}

function validateNoEscalation(errors: FieldError[], context: SecurityContext, at: Path): void {
  const refuse = (what: string): void => {
    const shown = goStruct('io.k8s.api.core.v1.SecurityContext', context);
    errors.push(invalidValue(at, shown, `cannot set \`allowPrivilegeEscalation\` to false and ${what}`));
  };
  if (context.privileged) refuse('`privileged` to true');
  for (const capability of context.capabilities?.add ?? []) {
    if (capability === 'CAP_SYS_ADMIN') refuse('`capabilities.Add` CAP_SYS_ADMIN');
  }
}
