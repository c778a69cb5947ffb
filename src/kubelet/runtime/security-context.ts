/** The CRI security contexts of sandboxes and containers. */
import type {
  AppArmorProfile,
  Container,
  EphemeralContainer,
  Pod,
  SeccompProfile,
  SELinuxOptions,
} from '../../api/generated/core-v1.ts';
import type {
  Image,
  LinuxContainerSecurityContext,
  LinuxSandboxSecurityContext,
  NamespaceOption,
  SecurityProfile,
  SELinuxOption,
  UserNamespace,
} from '../../cri/index.ts';
import { ContainerConfigError } from '../environment/environment-variables.ts';
import { formatPod } from '../pod/pod-identity.ts';

const MASKED_PATHS = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const READONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

export interface SecuritySettings {
  readonly seccompDefault: boolean;
  /** Where Localhost seccomp profiles are. */
  readonly seccompDirectory: string;
  readonly userNamespace: UserNamespace | undefined;
}

function namespaceOptions(pod: Pod, userNamespace: UserNamespace | undefined): NamespaceOption {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace } = pod.spec ?? {};
  return {
    network: hostNetwork ? 'NODE' : 'POD',
    pid: hostPID ? 'NODE' : shareProcessNamespace ? 'POD' : 'CONTAINER',
    ipc: hostIPC ? 'NODE' : 'POD',
    usernsOptions: userNamespace ?? { mode: 'NODE' },
  };
}

export function sandboxSecurityContext(pod: Pod, settings: SecuritySettings): LinuxSandboxSecurityContext {
  const context = pod.spec?.securityContext ?? {};
  const groups = supplementalGroups(pod);
  return {
    namespaceOptions: namespaceOptions(pod, settings.userNamespace),
    privileged: hasPrivileged(pod),
    seccomp: { profileType: 'RuntimeDefault' },
    ...(context.seLinuxOptions ? { selinuxOptions: selinux(context.seLinuxOptions) } : {}),
    ...(context.runAsUser === undefined ? {} : { runAsUser: { value: context.runAsUser } }),
    ...(context.runAsGroup === undefined ? {} : { runAsGroup: { value: context.runAsGroup } }),
    ...(groups.length > 0 ? { supplementalGroups: groups } : {}),
    ...(context.supplementalGroupsPolicy === 'Strict' ? { supplementalGroupsPolicy: 'Strict' as const } : {}),
  };
}

const hasPrivileged = ({ spec }: Pod): boolean =>
  [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].some(
    (container) => container.securityContext?.privileged === true,
  );

function supplementalGroups(pod: Pod): number[] {
  const { supplementalGroups: groups = [], fsGroup } = pod.spec?.securityContext ?? {};
  return [...groups, ...(fsGroup === undefined ? [] : [fsGroup])];
}

interface ContainerSecurityInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly image: Image | undefined;
  readonly settings: SecuritySettings;
  /** The container whose processes an ephemeral container joins. */
  readonly targetId?: string;
}

export function containerSecurityContext({
  pod,
  container,
  image,
  settings,
  targetId,
}: ContainerSecurityInput): LinuxContainerSecurityContext {
  const ofPod = pod.spec?.securityContext ?? {};
  const own = container.securityContext ?? {};
  const privileged = own.privileged === true;
  const user = verifiedUser(pod, container, image);
  const runAsGroup = own.runAsGroup ?? ofPod.runAsGroup;
  const groups = supplementalGroups(pod);
  const unmasked = privileged || own.procMount === 'Unmasked';
  const options = namespaceOptions(pod, settings.userNamespace);
  const seLinux = own.seLinuxOptions ?? ofPod.seLinuxOptions;
  const appArmor = own.appArmorProfile ?? ofPod.appArmorProfile;
  return {
    namespaceOptions: targetId === undefined ? options : { ...options, pid: 'TARGET', targetId },
    privileged,
    readonlyRootfs: own.readOnlyRootFilesystem === true,
    noNewPrivs: own.allowPrivilegeEscalation === false,
    maskedPaths: unmasked ? [] : MASKED_PATHS,
    readonlyPaths: unmasked ? [] : READONLY_PATHS,
    seccomp: seccompProfile(privileged, own.seccompProfile ?? ofPod.seccompProfile, settings),
    ...user,
    ...(runAsGroup === undefined ? {} : { runAsGroup: { value: runAsGroup } }),
    ...(groups.length > 0 ? { supplementalGroups: groups } : {}),
    ...(ofPod.supplementalGroupsPolicy === 'Strict' ? { supplementalGroupsPolicy: 'Strict' as const } : {}),
    ...(own.capabilities === undefined
      ? {}
      : {
          capabilities: { addCapabilities: own.capabilities.add ?? [], dropCapabilities: own.capabilities.drop ?? [] },
        }),
    ...(seLinux ? { selinuxOptions: selinux(seLinux) } : {}),
    ...(appArmor ? { apparmor: appArmorProfile(appArmor) } : {}),
  };
}

/** The user of the container. Throws when runAsNonRoot is violated or cannot be verified. */
function verifiedUser(
  pod: Pod,
  container: Container | EphemeralContainer,
  image: Image | undefined,
): Pick<LinuxContainerSecurityContext, 'runAsUser' | 'runAsUsername'> {
  const ofPod = pod.spec?.securityContext ?? {};
  const own = container.securityContext ?? {};
  const asked = own.runAsUser ?? ofPod.runAsUser;
  const uid = asked ?? image?.uid?.value;
  const username = asked === undefined && image?.uid === undefined ? (image?.username ?? '') : '';
  if (own.runAsNonRoot ?? ofPod.runAsNonRoot ?? false) {
    const where = `(pod: ${JSON.stringify(formatPod(pod))}, container: ${container.name})`;
    if (asked === 0) throw new ContainerConfigError(`container's runAsUser breaks non-root policy ${where}`);
    if (asked === undefined && username !== '')
      throw new ContainerConfigError(
        `container has runAsNonRoot and image has non-numeric user (${username}), cannot verify user is non-root ${where}`,
      );
    if (asked === undefined && (uid ?? 0) === 0)
      throw new ContainerConfigError(`container has runAsNonRoot and image will run as root ${where}`);
  }
  if (uid !== undefined) return { runAsUser: { value: uid } };
  return username === '' ? {} : { runAsUsername: username };
}

function seccompProfile(
  privileged: boolean,
  profile: SeccompProfile | undefined,
  { seccompDefault, seccompDirectory }: SecuritySettings,
): SecurityProfile {
  if (privileged) return { profileType: 'Unconfined' };
  if (profile === undefined) return { profileType: seccompDefault ? 'RuntimeDefault' : 'Unconfined' };
  if (profile.type === 'Localhost')
    return { profileType: 'Localhost', localhostRef: `${seccompDirectory}/${profile.localhostProfile ?? ''}` };
  return { profileType: profile.type === 'RuntimeDefault' ? 'RuntimeDefault' : 'Unconfined' };
}

function appArmorProfile({ type, localhostProfile }: AppArmorProfile): SecurityProfile {
  if (type === 'Localhost') return { profileType: 'Localhost', localhostRef: localhostProfile ?? '' };
  return { profileType: type === 'Unconfined' ? 'Unconfined' : 'RuntimeDefault' };
}

const selinux = ({ user, role, type, level }: SELinuxOptions): SELinuxOption => ({ user, role, type, level });
