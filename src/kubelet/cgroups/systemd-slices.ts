/** The systemd cgroup driver: cgroups are slices that systemd creates and limits, because it owns the cgroup tree. */
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { weightOf, type CgroupSettings, type Hierarchies } from './hierarchies.ts';

export type Systemctl = (args: readonly string[]) => Promise<void>;

const systemctl: Systemctl = async (args) => {
  await promisify(execFile)('systemctl', [...args]);
};

/** Throws when systemd is not running. */
export async function checkSystemd(marker = '/run/systemd/system'): Promise<void> {
  const runs = await fs.stat(marker).then(
    (stat) => stat.isDirectory(),
    () => false,
  );
  if (!runs)
    throw new Error(
      'the cgroup driver "systemd" needs systemd, which does not run on this machine; use "cgroupfs", in the runtime too',
    );
}

export function systemdSlices(files: Hierarchies, run: Systemctl = systemctl): Hierarchies {
  const sliceOf = (cgroup: string): string => path.basename(cgroup);
  return {
    ...files,
    async create(cgroup) {
      // Starting a slice creates it and its parents; it needs no unit file.
      const isThere = await fs.stat(files.directory(cgroup, 'memory')).then(
        () => true,
        () => false,
      );
      if (!isThere) await run(['start', sliceOf(cgroup)]);
    },
    async apply(cgroup, settings) {
      const properties = sliceProperties(settings, files.version);
      if (properties.length > 0) await run(['set-property', '--runtime', sliceOf(cgroup), ...properties]);
    },
    async remove(cgroup) {
      await run(['stop', sliceOf(cgroup)]);
      await files.remove(cgroup);
    },
  };
}

export function sliceProperties(
  { cpuShares, cpuQuota, cpuPeriod, memoryBytes, pids }: CgroupSettings,
  version: 1 | 2,
): string[] {
  const limit = (value: number): string => (value < 0 ? 'infinity' : String(value));
  const properties: string[] = [];
  if (cpuShares !== undefined)
    properties.push(version === 2 ? `CPUWeight=${weightOf(cpuShares)}` : `CPUShares=${cpuShares}`);
  if (cpuQuota !== undefined) {
    properties.push(cpuQuota < 0 ? 'CPUQuota=' : `CPUQuota=${Math.ceil((cpuQuota * 100) / (cpuPeriod ?? 100_000))}%`);
    if (cpuQuota >= 0 && cpuPeriod !== undefined) properties.push(`CPUQuotaPeriodSec=${cpuPeriod}us`);
  }
  if (memoryBytes !== undefined)
    properties.push(`${version === 2 ? 'MemoryMax' : 'MemoryLimit'}=${limit(memoryBytes)}`);
  if (pids !== undefined) properties.push(`TasksMax=${limit(pids)}`);
  return properties;
}
