/** The path of a container's cgroup, with the cgroupfs and the systemd cgroup driver. */
import path from 'node:path';

interface CgroupNaming {
  readonly systemdCgroups: boolean;
  readonly defaultCgroupParent: string;
}

interface CgroupPath {
  /** The value of linux.cgroupsPath in the OCI spec. */
  readonly runtime: string;
  /** Below the root of the cgroup file system. */
  readonly absolute: string;
}

/** The parent is the pod's cgroup, which the kubelet creates: `/kubepods/…`, or a slice with systemd. */
export function cgroupsPath(
  { systemdCgroups, defaultCgroupParent }: CgroupNaming,
  parent: string | undefined,
  id: string,
): CgroupPath {
  const parentPath = parent || defaultCgroupParent;
  if (parentPath.split('/').includes('..'))
    throw new Error(`the cgroup parent ${JSON.stringify(parentPath)} leaves the tree`);
  if (!systemdCgroups) {
    const absolute = path.posix.join('/', parentPath, id);
    return { runtime: absolute, absolute };
  }
  const slice = path.posix.basename(parentPath);
  if (!slice.endsWith('.slice'))
    throw new Error(`the cgroup parent ${JSON.stringify(parentPath)} is not a systemd slice`);
  return { runtime: `${slice}:k8ts:${id}`, absolute: path.posix.join(slicePath(slice), `k8ts-${id}.scope`) };
}

/** systemd nests slices by the dashes of their names: a-b.slice lies in a.slice. */
function slicePath(slice: string): string {
  const parts = slice.slice(0, -'.slice'.length).split('-');
  return `/${parts.map((_, index) => `${parts.slice(0, index + 1).join('-')}.slice`).join('/')}`;
}
