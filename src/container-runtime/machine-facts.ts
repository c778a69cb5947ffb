import fs from 'node:fs';
import type { MachineFacts } from './oci-spec/container-spec.ts';
import type { CgroupTree } from './stats/cgroup-tree.ts';

/** What this machine's kernel can do, as far as specs depend on it. */
export function machineFacts(cgroups: CgroupTree): MachineFacts {
  return {
    architecture: process.arch,
    lastCapability: Number(fs.readFileSync('/proc/sys/kernel/cap_last_cap', 'utf8')),
    cgroupVersion: cgroups.version,
    swapLimits: cgroups.swapLimits,
    apparmor: readOr('/sys/module/apparmor/parameters/enabled').startsWith('Y'),
    selinux: fs.existsSync('/sys/fs/selinux/enforce'),
  };
}

function readOr(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
