/** The mounts of a container: volumes, subPaths, /etc/hosts and the termination message file. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Container, EphemeralContainer, Pod, VolumeMount } from '../../api/generated/core-v1.ts';
import type { Device, Mount, MountPropagation, UserNamespace } from '../../cri/index.ts';
import { makeDirectory } from '../../kernel/index.ts';
import { ContainerConfigError } from '../environment/environment-variables.ts';
import { expand } from '../environment/expand.ts';
import type { Mounter } from './mounter.ts';
import { bindSubPath } from './subpath.ts';
import type { MountedVolume } from './volume.ts';

interface MountInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly volumes: ReadonlyMap<string, MountedVolume>;
  readonly environment: ReadonlyMap<string, string>;
  /** `ROOT/pods/UID`. */
  readonly podDirectory: string;
  readonly mounter: Mounter;
  /** The content of /etc/hosts; undefined for the runtime's own. */
  readonly hosts: string | undefined;
  /** The name of the termination message file, unique per start. */
  readonly startName: string;
  readonly recursiveReadOnly: boolean;
  /** For ID-mapped mounts of volumes. */
  readonly userNamespace: UserNamespace | undefined;
}

const PROPAGATION: ReadonlyMap<string, MountPropagation> = new Map(
  Object.entries<MountPropagation>({
    None: 'PROPAGATION_PRIVATE',
    HostToContainer: 'PROPAGATION_HOST_TO_CONTAINER',
    Bidirectional: 'PROPAGATION_BIDIRECTIONAL',
  }),
);

export async function containerMounts(input: MountInput): Promise<{ mounts: Mount[]; devices: Device[] }> {
  const { container, volumes, hosts, podDirectory } = input;
  const mounts: Mount[] = [];
  for (const [index, mount] of (container.volumeMounts ?? []).entries())
    mounts.push(await volumeMount(mount, index, input));
  const devices = (container.volumeDevices ?? []).map(({ name, devicePath }): Device => {
    const volume = volumes.get(name);
    if (volume?.hostPath === undefined)
      throw new ContainerConfigError(
        `volume device ${JSON.stringify(name)} of container ${JSON.stringify(container.name)} is not mounted`,
      );
    return { containerPath: devicePath, hostPath: volume.hostPath, permissions: volume.readOnly ? 'r' : 'mrw' };
  });
  if (hosts !== undefined && !mounts.some(({ containerPath }) => containerPath === '/etc/hosts')) {
    const file = path.join(podDirectory, 'etc-hosts');
    if ((await fs.readFile(file, 'utf8').catch(() => undefined)) !== hosts)
      await fs.writeFile(file, hosts, { mode: 0o644 });
    mounts.push({ containerPath: '/etc/hosts', hostPath: file, readonly: false });
  }
  if (container.terminationMessagePath) mounts.push(await terminationMessage(input, container.terminationMessagePath));
  return { mounts, devices };
}

async function volumeMount(mount: VolumeMount, index: number, input: MountInput): Promise<Mount> {
  const { container, volumes, environment, podDirectory, mounter } = input;
  const volume = volumes.get(mount.name);
  if (volume === undefined)
    throw new ContainerConfigError(
      `cannot find volume ${JSON.stringify(mount.name)} to mount into container ${JSON.stringify(container.name)}`,
    );
  const subPath = mount.subPathExpr ? expandSubPath(mount.subPathExpr, environment) : (mount.subPath ?? '');
  const containerPath = path.isAbsolute(mount.mountPath) ? mount.mountPath : path.join('/', mount.mountPath);
  const readonly = mount.readOnly === true || volume.readOnly === true;
  const common = {
    containerPath,
    readonly,
    recursiveReadOnly:
      readonly &&
      (mount.recursiveReadOnly === 'Enabled' || (mount.recursiveReadOnly === 'IfPossible' && input.recursiveReadOnly)),
    propagation: PROPAGATION.get(mount.mountPropagation ?? 'None') ?? 'PROPAGATION_PRIVATE',
  };
  if (mount.recursiveReadOnly === 'Enabled' && !input.recursiveReadOnly)
    throw new ContainerConfigError(
      `volume ${JSON.stringify(mount.name)} requested recursive read-only mode, but it is not supported by the runtime`,
    );
  if (volume.image !== undefined)
    return { ...common, image: volume.image, ...(subPath === '' ? {} : { imageSubPath: subPath }) };
  let hostPath = volume.hostPath ?? '';
  if (subPath !== '') {
    const target = path.join(podDirectory, 'volume-subpaths', mount.name, container.name, String(index));
    try {
      hostPath = await bindSubPath({ volumePath: hostPath, subPath, target, mounter });
    } catch (error) {
      throw new ContainerConfigError(
        `failed to prepare subPath for volumeMount ${JSON.stringify(mount.name)} of container ${JSON.stringify(container.name)}`,
        { cause: error },
      );
    }
  }
  const { uids, gids } = input.userNamespace ?? {};
  return { ...common, hostPath, ...(uids === undefined ? {} : { uidMappings: uids, gidMappings: gids ?? uids }) };
}

/** An unknown $(NAME) is an error, because the path would be another directory. */
function expandSubPath(expression: string, environment: ReadonlyMap<string, string>): string {
  const missing: string[] = [];
  const result = expand(expression, (name) => {
    const value = environment.get(name);
    if (value === undefined) missing.push(name);
    return value;
  });
  if (missing.length > 0)
    throw new ContainerConfigError(
      `failed to expand subPathExpr ${JSON.stringify(expression)}: missing value for ${missing.map((name) => JSON.stringify(name)).join(', ')}`,
    );
  return result;
}

async function terminationMessage(
  { podDirectory, container, startName }: MountInput,
  containerPath: string,
): Promise<Mount> {
  const directory = path.join(podDirectory, 'containers', container.name);
  const file = path.join(directory, startName);
  await makeDirectory(directory, { mode: 0o750 });
  await fs.writeFile(file, '');
  // Any user of the container must be able to write it.
  await fs.chmod(file, 0o666);
  return { containerPath, hostPath: file, readonly: false };
}
