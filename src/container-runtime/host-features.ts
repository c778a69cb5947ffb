import fs from 'node:fs';
import { inUserNamespace } from './linux/user-namespace.ts';
import { capabilitiesOfMask } from './oci-spec/capabilities.ts';
import type { HostFeatures } from './oci-spec/container-spec.ts';
import type { CgroupTree } from './stats/cgroup-tree.ts';

/** Detects the kernel features of this host that OCI specs depend on. */
export function hostFeatures(cgroups: CgroupTree, { limits }: { readonly limits: boolean }): HostFeatures {
  const capabilities = capabilitiesOfMask(
    /^CapEff:\s*([0-9a-f]+)$/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0',
  );
  return {
    architecture: process.arch,
    capabilities,
    // Without CAP_SYS_RESOURCE of the first user namespace a process can only raise its oom_score_adj.
    minOomScoreAdj:
      capabilities.includes('CAP_SYS_RESOURCE') && !inUserNamespace()
        ? -1000
        : Number(fs.readFileSync('/proc/self/oom_score_adj', 'utf8')),
    cgroupVersion: cgroups.version,
    limits,
    userNamespace: inUserNamespace(),
    swapLimits: cgroups.swapLimits,
    hugePageLimits: cgroups.hugePageLimits,
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
