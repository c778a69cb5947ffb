/** Validates windowsOptions, HostProcess pods and the fields that os.name allows. */
import type { PodSpec, WindowsSecurityContextOptions } from '../../../../api/generated/core-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../../errors/index.ts';
import { dns1123Subdomain, utf8Length, utf8Longer } from '../../../names/index.ts';
import { eachContainer } from './pod-containers.ts';

const CREDENTIAL_SPEC_MAX_KIB = 64;
const DOMAIN_MAX = 256;
const USER_MAX = 104;

// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\x00-\x1f\x7f]/;
const NETBIOS_DOMAIN = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS_DOMAIN = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const ONLY_DOTS_AND_SPACES = /^[. ]+$/;
const FORBIDDEN_IN_USER = /["/\\:;|=,+*?<>@[\]]/;

export function validateWindowsOptions(errors: FieldError[], options: WindowsSecurityContextOptions, at: Path): void {
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (name !== undefined) {
    for (const message of dns1123Subdomain(name))
      errors.push(invalidValue(at.child('gmsaCredentialSpecName'), name, message));
  }
  if (spec === '')
    errors.push(invalidValue(at.child('gmsaCredentialSpec'), spec, 'gmsaCredentialSpec cannot be an empty string'));
  else if (spec !== undefined && utf8Longer(spec, CREDENTIAL_SPEC_MAX_KIB * 1024)) {
    errors.push(
      invalidValue(
        at.child('gmsaCredentialSpec'),
        spec,
        `gmsaCredentialSpec size must be under ${CREDENTIAL_SPEC_MAX_KIB} KiB`,
      ),
    );
  }
  if (runAsUserName !== undefined) {
    for (const message of userNameMessages(runAsUserName))
      errors.push(invalidValue(at.child('runAsUserName'), runAsUserName, message));
  }
}

/** `DOMAIN\user` or `user`. */
function userNameMessages(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1)!;
  const domain = parts.length === 2 ? parts[0]! : undefined;
  const messages: string[] = [];
  if (domain !== undefined && utf8Length(domain) >= DOMAIN_MAX) {
    messages.push(`runAsUserName's Domain length must be under ${DOMAIN_MAX} characters`);
  }
  if (domain !== undefined && !NETBIOS_DOMAIN.test(domain) && !DNS_DOMAIN.test(domain)) {
    messages.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') messages.push("runAsUserName's User cannot be empty");
  else if (utf8Longer(user, USER_MAX))
    messages.push(`runAsUserName's User length must not be longer than ${USER_MAX} characters`);
  if (ONLY_DOTS_AND_SPACES.test(user)) messages.push("runAsUserName's User cannot contain only periods or spaces");
  if (FORBIDDEN_IN_USER.test(user))
    messages.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return messages;
}

/** HostProcess: all containers of a pod must have it or none, and the pod must use hostNetwork. */
export function validateHostProcess(errors: FieldError[], spec: PodSpec, at: Path, allowPrivileged: boolean): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcesses = 0;
  eachContainer(spec, (container, where) => {
    containers++;
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const here = where(at).child('securityContext', 'windowsOptions', 'hostProcess');
      errors.push(
        invalidValue(here, own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`),
      );
    }
    if (own ?? ofPod ?? false) hostProcesses++;
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) {
    errors.push(
      invalidValue(
        at,
        '',
        'If pod contains any hostProcess containers then all containers must be HostProcess containers',
      ),
    );
  }
  if (!spec.hostNetwork) {
    errors.push(
      invalidValue(
        at.child('hostNetwork'),
        false,
        'hostNetwork must be true if pod contains any hostProcess containers',
      ),
    );
  }
  if (!allowPrivileged) errors.push(forbiddenField(at, 'hostProcess containers are disallowed by cluster policy'));
}

const SYSTEMS = ['linux', 'windows'];

/** A pod with os.name must not set fields of the other operating system. */
export function validateOs(errors: FieldError[], spec: PodSpec, at: Path): void {
  const name = spec.os!.name ?? '';
  if (name === '') errors.push(required(at.child('os', 'name')));
  else if (name === 'linux') validateLinux(errors, spec, at);
  else if (name === 'windows') validateWindows(errors, spec, at);
  else errors.push(notSupported(at.child('os'), name, SYSTEMS));
}

function validateLinux(errors: FieldError[], spec: PodSpec, at: Path): void {
  const refuse = (here: Path): void => {
    errors.push(forbiddenField(here, 'windows options cannot be set for a linux pod'));
  };
  if (spec.securityContext?.windowsOptions) refuse(at.child('securityContext', 'windowsOptions'));
  eachContainer(spec, (container, where) => {
    if (container.securityContext?.windowsOptions) refuse(where(at).child('securityContext', 'windowsOptions'));
  });
}

/** In upstream's order, which mixes fields of the spec and of the security context. */
const LINUX_POD_FIELDS = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
] as const;

const LINUX_CONTAINER_FIELDS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

function validateWindows(errors: FieldError[], spec: PodSpec, at: Path): void {
  const refuse = (here: Path): void => {
    errors.push(forbiddenField(here, 'cannot be set for a windows pod'));
  };
  const context: Readonly<Record<string, unknown>> = { ...spec.securityContext };
  const own: Readonly<Record<string, unknown>> = { ...spec };
  for (const field of LINUX_POD_FIELDS) {
    const [first, second] = field.split('.');
    const value = second === undefined ? own[first!] : context[second];
    const set = field === 'hostPID' || field === 'hostIPC' ? value === true : value !== undefined && value !== null;
    if (set) refuse(second === undefined ? at.child(first!) : at.child(first!, second));
  }
  eachContainer(spec, (container, where) => {
    if (!container.securityContext) return;
    for (const field of LINUX_CONTAINER_FIELDS) {
      if (container.securityContext[field] !== undefined) refuse(where(at).child('securityContext', field));
    }
  });
}
