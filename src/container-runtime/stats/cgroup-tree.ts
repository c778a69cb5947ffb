/** The host's cgroup file systems: version 2, or version 1 with one hierarchy per controller. */
import fs from 'node:fs';
import path from 'node:path';
import { unescapeMountPath } from '../linux/mounts.ts';

export interface CgroupTree {
  readonly version: 1 | 2;
  /** Whether the kernel can limit memory plus swap. */
  readonly swapLimits: boolean;
  /** Whether the hugetlb controller is there. */
  readonly hugePageLimits: boolean;
  /** The directory of a cgroup in a controller's hierarchy; undefined if the controller is not mounted. */
  folder(controller: string, cgroup: string): string | undefined;
  /** The processes of a cgroup, without those of its children. */
  processes(cgroup: string): number[];
  /** Removes a cgroup in every hierarchy if it has no processes and no children. */
  removeEmpty(cgroup: string): void;
  /** Removes a cgroup; false if it has processes or children. */
  remove(cgroup: string): Promise<boolean>;
}

export function openCgroupTree(mountinfo: string = fs.readFileSync('/proc/self/mountinfo', 'utf8')): CgroupTree {
  const { unified, controllers } = cgroupMounts(mountinfo);
  const version = controllers.size === 0 ? 2 : 1;
  const roots =
    version === 2
      ? [unified ?? '/sys/fs/cgroup']
      : [...new Set([...controllers.values(), ...(unified === undefined ? [] : [unified])])];
  const folder = (controller: string, cgroup: string): string | undefined => {
    const root = version === 2 ? roots[0] : controllers.get(controller);
    return root === undefined ? undefined : path.join(root, cgroup);
  };
  return {
    version,
    swapLimits:
      version === 2
        ? fs.existsSync('/proc/swaps')
        : fs.existsSync(path.join(controllers.get('memory') ?? '/', 'memory.memsw.limit_in_bytes')),
    hugePageLimits: version === 2 ? unifiedControllers(roots[0]!).includes('hugetlb') : controllers.has('hugetlb'),
    folder,
    processes(cgroup) {
      const directory = folder('pids', cgroup) ?? folder('memory', cgroup) ?? folder('cpu', cgroup);
      if (directory === undefined) return [];
      try {
        return fs
          .readFileSync(path.join(directory, 'cgroup.procs'), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map(Number);
      } catch {
        return [];
      }
    },
    async remove(cgroup) {
      const removals = roots.map((root) =>
        fs.promises.rmdir(path.join(root, cgroup)).then(
          () => true,
          (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
        ),
      );
      return (await Promise.all(removals)).every((each) => each);
    },
    removeEmpty(cgroup) {
      for (const root of roots) {
        try {
          fs.rmdirSync(path.join(root, cgroup));
        } catch {
          // It does not exist, or is not empty.
        }
      }
    },
  };
}

function unifiedControllers(root: string): string[] {
  try {
    return fs.readFileSync(path.join(root, 'cgroup.controllers'), 'utf8').trim().split(' ');
  } catch {
    return [];
  }
}

/** Mount points of cgroup hierarchies from /proc/self/mountinfo: `… mountpoint … - type source options`. */
export function cgroupMounts(mountinfo: string): {
  unified: string | undefined;
  controllers: ReadonlyMap<string, string>;
} {
  const controllers = new Map<string, string>();
  let unified: string | undefined;
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [type, , options = ''] = after.split(' ');
    const point = unescapeMountPath(before.split(' ')[4] ?? '');
    if (type === 'cgroup2') unified ??= point;
    if (type !== 'cgroup') continue;
    for (const option of options.split(','))
      if (option !== 'rw' && option !== 'ro' && !controllers.has(option)) controllers.set(option, point);
  }
  return { unified, controllers };
}
