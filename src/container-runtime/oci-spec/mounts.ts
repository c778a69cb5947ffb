/** Mounts of a container in the OCI spec, with their propagation. */
import path from 'node:path';
import type { Mount } from '../../cri/index.ts';
import type { OciMount } from './oci-types.ts';

interface SystemMountOptions {
  readonly privileged: boolean;
  readonly userNamespace: boolean;
  readonly hostNetwork: boolean;
  readonly cgroups: boolean;
}

/** The default mounts of every container: /proc, /dev, /sys and cgroups. */
export function systemMounts({ privileged, userNamespace, hostNetwork, cgroups }: SystemMountOptions): OciMount[] {
  const sysAccess = privileged ? 'rw' : 'ro';
  // In a user namespace, sysfs can be mounted only with an own network namespace.
  const sys: OciMount =
    userNamespace && hostNetwork
      ? { destination: '/sys', type: 'none', source: '/sys', options: ['rbind', 'nosuid', 'noexec', 'nodev', 'ro'] }
      : { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['nosuid', 'noexec', 'nodev', sysAccess] };
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
    {
      destination: '/dev',
      type: 'tmpfs',
      source: 'tmpfs',
      options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'],
    },
    {
      destination: '/dev/pts',
      type: 'devpts',
      source: 'devpts',
      options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5'],
    },
    { destination: '/dev/mqueue', type: 'mqueue', source: 'mqueue', options: ['nosuid', 'noexec', 'nodev'] },
    sys,
    ...(cgroups
      ? [
          {
            destination: '/sys/fs/cgroup',
            type: 'cgroup',
            source: 'cgroup',
            options: ['nosuid', 'noexec', 'nodev', 'relatime', sysAccess],
          },
        ]
      : []),
  ];
}

const PROPAGATION_OPTIONS = {
  PROPAGATION_PRIVATE: 'rprivate',
  PROPAGATION_HOST_TO_CONTAINER: 'rslave',
  PROPAGATION_BIDIRECTIONAL: 'rshared',
} as const;

/** The bind mount of a CRI mount, whose source exists and contains no symbolic links. */
export function bindMountOf(mount: Mount): OciMount {
  const {
    containerPath = '',
    hostPath = '',
    readonly: readOnly = false,
    recursiveReadOnly = false,
    propagation = 'PROPAGATION_PRIVATE',
  } = mount;
  if (!path.posix.isAbsolute(containerPath))
    throw new Error(`the mount path ${JSON.stringify(containerPath)} is not absolute`);
  if (recursiveReadOnly && !readOnly)
    throw new Error(`the mount ${containerPath} asks to be recursively read-only, but not to be read-only`);
  if (recursiveReadOnly && propagation !== 'PROPAGATION_PRIVATE') {
    throw new Error(
      `the mount ${containerPath} asks to be recursively read-only, which needs private propagation, not ${propagation}`,
    );
  }
  const access = readOnly ? (recursiveReadOnly ? ['ro', 'rro'] : ['ro']) : ['rw'];
  return {
    destination: path.posix.join('/', containerPath).replace(/(?<=.)\/$/, ''),
    type: 'bind',
    source: hostPath,
    options: ['rbind', PROPAGATION_OPTIONS[propagation], ...access],
  };
}

/** The propagation of the root file system, which must allow that of all mounts. */
export function rootPropagation(mounts: readonly Mount[]): string | undefined {
  if (mounts.some((mount) => mount.propagation === 'PROPAGATION_BIDIRECTIONAL')) return 'shared';
  return mounts.some((mount) => mount.propagation === 'PROPAGATION_HOST_TO_CONTAINER') ? 'slave' : undefined;
}

/** Given mounts replace defaults at the same path, and parents come before children. */
export function orderedMounts(defaults: readonly OciMount[], overrides: readonly OciMount[]): OciMount[] {
  const replaced = new Set(overrides.map((mount) => mount.destination));
  const depth = (mount: OciMount): number => mount.destination.split('/').filter((part) => part !== '').length;
  return [...defaults.filter((mount) => !replaced.has(mount.destination)), ...overrides].sort(
    (a, b) => depth(a) - depth(b),
  );
}
