/**
 * Builds the OCI runtime spec of a container from its CRI config, its image and its sandbox. Pure: everything about
 * the host is in `ContainerSpecInput`.
 */
import type { ContainerConfig, Mount } from '../../cri/index.ts';
import type { ProcessDefaults } from '../images/index.ts';
import { containerCapabilities } from './capabilities.ts';
import { deviceSpec, type DeviceGrant } from './devices.ts';
import { bindMountOf, orderedMounts, rootPropagation, systemMounts } from './mounts.ts';
import { containerNamespaces, idMappings, type SandboxNamespaces } from './namespaces.ts';
import type { OciCapabilities, OciLinux, OciMount, OciProcess, OciSpec } from './oci-types.ts';
import { commandLine, environment, workingDirectory } from './process.ts';
import { ociResources, type ResourceSupport } from './resources.ts';
import { seccompChoice, seccompProfile } from './seccomp.ts';
import type { ResolvedUser } from './users.ts';

export interface ContainerSpecInput {
  readonly sandboxId: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly podUid: string;
  readonly config: ContainerConfig;
  readonly image: ProcessDefaults;
  readonly imageName: string;
  readonly rootfs: string;
  readonly user: ResolvedUser;
  readonly hostname: string;
  readonly namespaces: SandboxNamespaces;
  readonly targetPid?: string;
  readonly hostNetwork: boolean;
  /** Mounts whose sources exist and contain no symbolic links. */
  readonly mounts: readonly Mount[];
  /** The sandbox's resolv.conf, hostname, hosts and /dev/shm, unless the container mounts something there. */
  readonly sandboxMounts: readonly OciMount[];
  readonly devices: readonly DeviceGrant[];
  readonly allowEveryDevice: boolean;
  readonly cgroupsPath: string;
  readonly host: HostFeatures;
  readonly readSeccompProfile: (file: string) => string;
}

/** Features of the host's kernel. */
export interface HostFeatures extends ResourceSupport {
  /** Node's name of the architecture, e.g. `x64`. */
  readonly architecture: string;
  /** The runtime's own capabilities. */
  readonly capabilities: readonly string[];
  /** The lowest oom_score_adj that the runtime can set. */
  readonly minOomScoreAdj: number;
  readonly cgroupVersion: 1 | 2;
  /** Whether cgroups can be created, and so limits enforced. */
  readonly limits: boolean;
  /** Whether the runtime itself is in a user namespace. */
  readonly userNamespace: boolean;
  readonly apparmor: boolean;
  readonly selinux: boolean;
}

export function containerSpec(input: ContainerSpecInput): OciSpec {
  const security = input.config.linux?.securityContext ?? {};
  const privileged = security.privileged ?? false;
  const userNamespace = input.namespaces.user !== undefined;
  const capabilities = containerCapabilities({
    privileged,
    capabilities: security.capabilities,
    available: input.host.capabilities,
  });
  return {
    ociVersion: '1.0.2',
    process: ociProcess(input, capabilities),
    root: { path: input.rootfs, readonly: security.readonlyRootfs ?? false },
    mounts: orderedMounts(
      [
        ...systemMounts({
          privileged,
          userNamespace: userNamespace || input.host.userNamespace,
          hostNetwork: input.hostNetwork,
          cgroups: input.host.limits,
        }),
        ...input.sandboxMounts,
      ],
      input.mounts.map(bindMountOf),
    ),
    annotations: ociAnnotations(input),
    linux: ociLinux(input, { privileged, userNamespace, capabilities }),
  };
}

function ociProcess(input: ContainerSpecInput, capabilities: OciCapabilities): OciProcess {
  const { config, image, host, user } = input;
  const apparmorProfile = apparmorProfileOf(input);
  const selinuxLabel = selinuxLabelOf(input);
  return {
    terminal: config.tty ?? false,
    user: { uid: user.uid, gid: user.gid, additionalGids: [...user.supplementalGroups] },
    args: commandLine(config, image),
    env: environment(config, image, input.hostname),
    cwd: workingDirectory(config, image),
    capabilities,
    noNewPrivileges: config.linux?.securityContext?.noNewPrivs ?? false,
    oomScoreAdj: Math.max(config.linux?.resources?.oomScoreAdj ?? 0, host.minOomScoreAdj),
    ...(apparmorProfile === undefined ? {} : { apparmorProfile }),
    ...(selinuxLabel === undefined ? {} : { selinuxLabel }),
  };
}

interface LinuxOptions {
  readonly privileged: boolean;
  readonly userNamespace: boolean;
  readonly capabilities: OciCapabilities;
}

function ociLinux(input: ContainerSpecInput, { privileged, userNamespace, capabilities }: LinuxOptions): OciLinux {
  const { config, host } = input;
  const security = config.linux?.securityContext ?? {};
  const devices = deviceSpec(input.devices, { everything: input.allowEveryDevice });
  const seccomp = seccompProfile(seccompChoice(security), {
    machine: host.architecture,
    capabilities: capabilities.bounding,
    readProfile: input.readSeccompProfile,
  });
  const mappings = security.namespaceOptions?.usernsOptions;
  const selinuxLabel = selinuxLabelOf(input);
  const propagation = rootPropagation(input.mounts);
  return {
    namespaces: containerNamespaces({
      options: security.namespaceOptions,
      sandbox: input.namespaces,
      targetPid: input.targetPid,
      privateCgroup: host.cgroupVersion === 2 && !privileged,
    }),
    ...(userNamespace ? { uidMappings: idMappings(mappings?.uids), gidMappings: idMappings(mappings?.gids) } : {}),
    devices: devices.devices,
    resources: { ...(host.limits ? ociResources(config.linux?.resources, host) : {}), devices: devices.rules },
    ...(host.limits ? { cgroupsPath: input.cgroupsPath } : {}),
    ...(propagation === undefined ? {} : { rootfsPropagation: propagation }),
    ...(seccomp === undefined ? {} : { seccomp }),
    // The kubelet passes the paths to mask; for procMount Unmasked it passes none.
    ...(privileged
      ? {}
      : { maskedPaths: [...(security.maskedPaths ?? [])], readonlyPaths: [...(security.readonlyPaths ?? [])] }),
    ...(selinuxLabel === undefined ? {} : { mountLabel: selinuxLabel }),
  };
}

/** Annotations for tools that inspect containers, with the names of other runtimes. */
function ociAnnotations(input: ContainerSpecInput): Record<string, string> {
  return {
    'io.kubernetes.cri.container-type': 'container',
    'io.kubernetes.cri.container-name': input.config.metadata?.name ?? '',
    'io.kubernetes.cri.image-name': input.imageName,
    'io.kubernetes.cri.sandbox-id': input.sandboxId,
    'io.kubernetes.cri.sandbox-name': input.podName,
    'io.kubernetes.cri.sandbox-namespace': input.podNamespace,
    'io.kubernetes.cri.sandbox-uid': input.podUid,
  };
}

/** Without AppArmor on the host, RuntimeDefault means unconfined, and a Localhost profile is an error. */
function apparmorProfileOf({ config, host }: ContainerSpecInput): string | undefined {
  const { apparmor, apparmorProfile = '', privileged = false } = config.linux?.securityContext ?? {};
  const legacyName = apparmorProfile.startsWith('localhost/') ? apparmorProfile.slice('localhost/'.length) : undefined;
  const name =
    apparmor === undefined ? legacyName : apparmor.profileType === 'Localhost' ? apparmor.localhostRef : undefined;
  if (name === undefined || name === '' || privileged) return undefined;
  if (!host.apparmor)
    throw new Error(`the AppArmor profile ${JSON.stringify(name)} cannot be used: this machine has no AppArmor`);
  return name;
}

function selinuxLabelOf({ config, host }: ContainerSpecInput): string | undefined {
  const options = config.linux?.securityContext?.selinuxOptions;
  if (!host.selinux || options === undefined) return undefined;
  const { user = '', role = '', type = '', level = '' } = options;
  return `${user || 'system_u'}:${role || 'system_r'}:${type || 'container_t'}:${level || 's0'}`;
}
