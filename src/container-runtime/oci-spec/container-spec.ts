/**
 * The OCI runtime spec of a container, from its CRI configuration, its image and what its sandbox has. A pure function:
 * everything that has to be looked up on the machine comes in with `ContainerSpecInput`.
 */
import type { ContainerConfig, Mount } from '../../cri/index.ts';
import type { ProcessDefaults } from '../images/index.ts';
import { containerCapabilities } from './capabilities.ts';
import { deviceSpec, type DeviceGrant } from './devices.ts';
import { bindMountOf, orderedMounts, rootPropagation, systemMounts } from './mounts.ts';
import { containerNamespaces, idMappings, type SandboxNamespaces } from './namespaces.ts';
import type { OciMount, OciSpec } from './oci-types.ts';
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
  /** Mounts with sources that exist and hold no symbolic links. */
  readonly mounts: readonly Mount[];
  /** The sandbox's resolv.conf, hostname, hosts and /dev/shm, unless the configuration mounts something there. */
  readonly sandboxMounts: readonly OciMount[];
  readonly devices: readonly DeviceGrant[];
  readonly allowEveryDevice: boolean;
  readonly cgroupsPath: string;
  readonly machine: MachineFacts;
  readonly readSeccompProfile: (file: string) => string;
}

/** What the kernel can do. */
export interface MachineFacts extends ResourceSupport {
  /** Node's name of the architecture. */
  readonly architecture: string;
  /** Those that the runtime itself has. */
  readonly capabilities: readonly string[];
  /** Processes can be made harder to kill for lack of memory only down to this. */
  readonly lowestOomScoreAdj: number;
  readonly cgroupVersion: 1 | 2;
  readonly apparmor: boolean;
  readonly selinux: boolean;
}

export function containerSpec(input: ContainerSpecInput): OciSpec {
  const { config, image, machine, user } = input;
  const security = config.linux?.securityContext ?? {};
  const resources = config.linux?.resources;
  const privileged = security.privileged ?? false;
  const capabilities = containerCapabilities({
    privileged,
    capabilities: security.capabilities,
    available: machine.capabilities,
  });
  const devices = deviceSpec(input.devices, { everything: input.allowEveryDevice });
  const seccomp = seccompProfile(seccompChoice(security), {
    machine: machine.architecture,
    capabilities: capabilities.bounding,
    readProfile: input.readSeccompProfile,
  });
  const userNamespace = input.namespaces.user !== undefined;
  const mappings = security.namespaceOptions?.usernsOptions;
  const apparmorProfile = apparmorProfileOf(input);
  const selinuxLabel = selinuxLabelOf(input);
  const propagation = rootPropagation(input.mounts);

  return {
    ociVersion: '1.0.2',
    process: {
      terminal: config.tty ?? false,
      user: { uid: user.uid, gid: user.gid, additionalGids: [...user.supplementalGroups] },
      args: commandLine(config, image),
      env: environment(config, image, input.hostname),
      cwd: workingDirectory(config, image),
      capabilities,
      noNewPrivileges: security.noNewPrivs ?? false,
      oomScoreAdj: Math.max(resources?.oomScoreAdj ?? 0, machine.lowestOomScoreAdj),
      ...(apparmorProfile === undefined ? {} : { apparmorProfile }),
      ...(selinuxLabel === undefined ? {} : { selinuxLabel }),
    },
    root: { path: input.rootfs, readonly: security.readonlyRootfs ?? false },
    mounts: orderedMounts(
      [...systemMounts({ privileged, userNamespace, hostNetwork: input.hostNetwork }), ...input.sandboxMounts],
      input.mounts.map(bindMountOf),
    ),
    annotations: ociAnnotations(input),
    linux: {
      namespaces: containerNamespaces({
        options: security.namespaceOptions,
        sandbox: input.namespaces,
        targetPid: input.targetPid,
        privateCgroup: machine.cgroupVersion === 2 && !privileged,
      }),
      ...(userNamespace ? { uidMappings: idMappings(mappings?.uids), gidMappings: idMappings(mappings?.gids) } : {}),
      devices: devices.devices,
      resources: { ...ociResources(resources, machine), devices: devices.rules },
      cgroupsPath: input.cgroupsPath,
      ...(propagation === undefined ? {} : { rootfsPropagation: propagation }),
      ...(seccomp === undefined ? {} : { seccomp }),
      ...(privileged
        ? {}
        : {
            // The caller names them: a container with /proc unmasked is one for which it names none.
            maskedPaths: [...(security.maskedPaths ?? [])],
            readonlyPaths: [...(security.readonlyPaths ?? [])],
          }),
      ...(selinuxLabel === undefined ? {} : { mountLabel: selinuxLabel }),
    },
  };
}

/** What tools that look at running containers go by; names as other runtimes have them. */
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

/** A machine without AppArmor runs the default profile as none, and refuses one that was asked for by name. */
function apparmorProfileOf({ config, machine }: ContainerSpecInput): string | undefined {
  const { apparmor, apparmorProfile = '', privileged = false } = config.linux?.securityContext ?? {};
  const legacyName = apparmorProfile.startsWith('localhost/') ? apparmorProfile.slice('localhost/'.length) : undefined;
  const name =
    apparmor === undefined ? legacyName : apparmor.profileType === 'Localhost' ? apparmor.localhostRef : undefined;
  if (name === undefined || name === '' || privileged) return undefined;
  if (!machine.apparmor)
    throw new Error(`the AppArmor profile ${JSON.stringify(name)} cannot be used: this machine has no AppArmor`);
  return name;
}

function selinuxLabelOf({ config, machine }: ContainerSpecInput): string | undefined {
  const options = config.linux?.securityContext?.selinuxOptions;
  if (!machine.selinux || options === undefined) return undefined;
  const { user = '', role = '', type = '', level = '' } = options;
  return `${user || 'system_u'}:${role || 'system_r'}:${type || 'container_t'}:${level || 's0'}`;
}
