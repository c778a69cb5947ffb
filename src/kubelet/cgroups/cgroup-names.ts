/** Cgroup names by driver: paths for cgroupfs; for systemd slices, whose nesting follows the dashes in their names. */
import path from 'node:path';

export interface CgroupNames {
  /** The path below the root of the hierarchy, of components such as `kubepods`, `burstable`, `podUID`. */
  path(parts: readonly string[]): string;
  /** The pod UID in the base name of a cgroup; undefined for cgroups that are not of a pod. */
  podUid(name: string): string | undefined;
}

export function cgroupfsNames(cgroupRoot: string): CgroupNames {
  return {
    path: (parts) => path.join('/', cgroupRoot, ...parts),
    podUid: (name) => (name.startsWith('pod') ? name.slice('pod'.length) : undefined),
  };
}

const SUFFIX = '.slice';

/** `kubepods-burstable-pod1_2.slice` is in `kubepods-burstable.slice`, which is in `kubepods.slice`. */
export function systemdNames(cgroupRoot: string): CgroupNames {
  const above = path
    .basename(path.join('/', cgroupRoot))
    .replace(/\.slice$/, '')
    .split('-')
    .filter((part) => part !== '');
  return {
    path: (parts) => {
      // systemd would take a dash for another level.
      const all = [...above, ...parts.map((part) => part.replaceAll('-', '_'))];
      return `/${all.map((_, i) => `${all.slice(0, i + 1).join('-')}${SUFFIX}`).join('/')}`;
    },
    podUid: (name) => {
      const last = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length).split('-').at(-1) : undefined;
      return last?.startsWith('pod') ? last.slice('pod'.length).replaceAll('_', '-') : undefined;
    },
  };
}
