/** What cgroups are called: as in the file system, or as systemd calls its slices, which nest by the dashes of their names. */
import path from 'node:path';

export interface CgroupNames {
  /** Of parts like `kubepods`, `burstable`, `podUID`: the path below the root of the hierarchy. */
  path(parts: readonly string[]): string;
  /** The pod's uid, of the last part of a path; undefined when it is none of a pod. */
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
      // A dash in a part would be another level.
      const all = [...above, ...parts.map((part) => part.replaceAll('-', '_'))];
      return `/${all.map((_, i) => `${all.slice(0, i + 1).join('-')}${SUFFIX}`).join('/')}`;
    },
    podUid: (name) => {
      const last = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length).split('-').at(-1) : undefined;
      return last?.startsWith('pod') ? last.slice('pod'.length).replaceAll('_', '-') : undefined;
    },
  };
}
